package sacct

// A job in the output of sacct --json has the same names in all releases from 22.05 on (parse_job in Slurm's
// src/plugins/openapi/dbv0.0.38/parse.c, PARSER_ARRAY(JOB) in src/plugins/data_parser/v0.0.39 to v0.0.45/parsers.c),
// some more in later ones. What differs is how numbers and states are written, see count and states.

// meaning says what a value of a job's stands for.
type meaning struct {
	path   string
	column column
	as     as
}

// as says how a value becomes the text of its column.
type as uint8

const (
	asText    as = iota
	asOther      // a text, where the record itself has none
	asCount      // Slurm's marks for none and for infinite are no counts
	asLength     // seconds
	asPerCPU     // MiB
	asPerNode    // MiB
	asState      // a text, or several: the state, and flags
	asFlag       // one of several
	asArray      // the array's id
	asTask       // the task's number
	asTasks      // numbers of tasks
	asMost       // how many of them may run at once
	asLeader     // the heterogeneous job's id
	asOffset     // the component's number
	asKind       // of a resource
	asName       // of one of its kind
	asAmount     // of it
)

// meanings are the values of a job that are read, by their paths.
var meanings = func() map[string]meaning {
	all := make(map[string]meaning)
	for _, m := range []meaning{
		{"account", colAccount, asText},
		{"association/account", colAccount, asOther},
		{"user", colUser, asText},
		{"association/user", colUser, asOther},
		{"cluster", colCluster, asText},
		{"partition", colPartition, asText},
		{"qos", colQOS, asText},
		{"name", colName, asText},
		{"constraints", colConstraints, asText},
		{"nodes", colNodeList, asText},
		{"reservation/name", colReservation, asText},
		{"licenses", colLicenses, asText},
		{"exclusive", colExclusive, asText},
		{"submit_line", colSubmitLine, asText},
		{"working_directory", colFolder, asText},
		{"job_id", colRaw, asCount},
		{"priority", colPriority, asCount},
		{"required/CPUs", colAsked, asCount},
		{"allocation_nodes", colNodes, asCount},
		{"time/submission", colSubmit, asCount},
		{"time/eligible", colEligible, asCount},
		{"time/start", colStart, asCount},
		{"time/end", colEnd, asCount},
		{"time/elapsed", colElapsedRaw, asCount},
		{"time/suspended", colSuspended, asLength},
		{"time/limit", colLimitRaw, asCount},
		{"required/memory_per_cpu", colMemory, asPerCPU},
		{"required/memory_per_node", colMemory, asPerNode},
		{"state/current", colState, asState},
		{"flags", colFlags, asFlag},
		{"array/job_id", colID, asArray},
		{"array/task_id", colID, asTask},
		{"array/task", colID, asTasks},
		{"array/limits/max/running/tasks", colID, asMost},
		{"het/job_id", colID, asLeader},
		{"het/job_offset", colID, asOffset},
		{"tres/requested/type", colReqTRES, asKind},
		{"tres/requested/name", colReqTRES, asName},
		{"tres/requested/count", colReqTRES, asAmount},
		{"tres/allocated/type", colAllocTRES, asKind},
		{"tres/allocated/name", colAllocTRES, asName},
		{"tres/allocated/count", colAllocTRES, asAmount},
	} {
		all[m.path] = m
	}
	return all
}()

var jsonColumns = func() (all [columns]bool) {
	for _, m := range meanings {
		all[m.column] = true
	}
	return all
}()

// parents are the values of a job that have such values inside.
var parents = func() map[string]bool {
	all := make(map[string]bool)
	for path := range meanings {
		for i, c := range path {
			if c == '/' {
				all[path[:i]] = true
			}
		}
	}
	return all
}()
