package tools

// A UUID as Python and Java write it, as a regular expression and for SQL's LIKE.
const (
	uuidPattern = `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`
	uuidLike    = `%________-____-____-____-____________`
)

var known = table()

// table makes the table. The versions are those whose sources were read.
func table() Table {
	runByName := pattern(Name, `^(?:.*_)?(?P<campaign>`+uuidPattern+`)$`)
	return Table{
		// Snakemake 7.21 (--slurm) tells no run.
		{Name: "Snakemake", Exact: true, Patterns: []Pattern{
			pattern(Name, `^snakejob_(?P<class>.+?)_(?:\d+|`+uuidPattern+`)$`),
		}},
		// Snakemake 8 and 9 (executor plugin slurm 2.7.1) name all jobs of a run by one UUID, after a
		// prefix if the user wants one, and put the rule into the comment.
		{Name: "Snakemake", Exact: true, Like: []string{uuidLike}, NeedsClass: true, Patterns: []Pattern{
			runByName, pattern(Line, ` --comment[= ]['"]?(?:rule|group)_(?P<class>.+?)(?:_wildcards_|['" ]|$)`),
		}},
		// Snakemake 7.32.4 (--slurm) names all jobs of a run by one UUID, whatever the rule.
		{Name: "Snakemake", Exact: true, Like: []string{uuidLike}, NeedsClass: true, Patterns: []Pattern{
			runByName, pattern(Line, `/slurm_logs/(?:rule|group)_(?P<class>[^/]+)/`),
		}},
		// Nextflow (AbstractGridExecutor) has a folder for each task, and a tag after the process.
		{Name: "Nextflow", Exact: true, Like: []string{`nf-%`}, Patterns: []Pattern{
			pattern(Name, `^nf-(?P<class>[^(]+?)_?(?:\(|$)`), pattern(Folder, `^(?P<campaign>.+)/work/[0-9a-f]{2}/[0-9a-f]{4,}`),
		}},
		// Toil 5.9 and 8.0 set no time limit; the run is in the path of the log.
		{Name: "Toil", Exact: true, Like: []string{`toil_job_%`}, Patterns: []Pattern{
			pattern(Name, `^toil_job_\d+_(?P<class>.+)$`), pattern(Line, `/?toil_(?P<campaign>`+uuidPattern+`)\.`),
		}},
		// Parsl 2026.07: a block of workers.
		{Name: "Parsl", Pilot: true, Exact: true, Patterns: []Pattern{
			pattern(Name, `^parsl\.(?P<campaign>(?P<class>.+))\.block-\d+\.[\d.]+$`),
		}},
		// signac-flow 0.29: PROJECT/AGGREGATE/OPERATION/MD5, of which it cuts what is too long.
		{Name: "signac-flow", Exact: true, Patterns: []Pattern{
			pattern(Name, `^(?P<class1>[^/]+)/[^/]*[0-9a-f]{6,}[^/]*/(?P<class2>[^/]+)/[0-9a-f]{6,}$`),
			pattern(Name, `^(?P<campaign1>[^/]+)/[^/]+/(?P<campaign2>[^/]+)/[0-9a-f]+$`),
		}},
		// Cromwell: the first part of the run's UUID, and the task.
		{Name: "Cromwell", Exact: true, Patterns: []Pattern{pattern(Name, `^cromwell_(?P<campaign>[0-9a-f]{8})_(?P<class>.+)$`)}},
		// AiiDA 2.8 tells neither.
		{Name: "AiiDA", Patterns: []Pattern{pattern(Name, `^aiida-\d+$`)}},
		// submitit 1.5.4: its default name, with the same WCKey for everybody.
		{Name: "submitit", ByFolder: true, Like: []string{`submitit`}, Patterns: []Pattern{pattern(Name, `^submitit$`)}},
		// dask-jobqueue 0.9: its default name.
		{Name: "dask-jobqueue", Pilot: true, ByFolder: true, Like: []string{`dask-worker`}, Patterns: []Pattern{pattern(Name, `^dask-worker$`)}},
		// Whoever names jobs by a UUID tells which belong together.
		{ByFolder: true, Like: []string{uuidLike}, Patterns: []Pattern{runByName}},
		// Slurm's own names (sbatch --wrap, salloc) and those of portals.
		{ByFolder: true, Like: []string{`wrap`, `interactive`, `bash`, `sys/dashboard/%`}, Patterns: []Pattern{
			pattern(Name, `^(?:wrap|interactive|bash|sys/dashboard/.*)$`),
		}},
	}
}

// Step returns what a tool calls a step of a workflow, and several.
func Step(tool string) (one, many string) {
	switch tool {
	case "Snakemake":
		return "rule", "rules"
	case "Nextflow":
		return "process", "processes"
	}
	return "step", "steps"
}

// DefaultWCKey reports whether a tool gives this WCKey to all jobs of all users: it declares
// nothing.
func DefaultWCKey(wckey []byte) bool { return string(wckey) == "submitit" }
