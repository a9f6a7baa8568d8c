package tools_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/ostrich/accounting/tools"
)

// TestLongNames: of a long name the queue shows 1024 bytes and accounting 255, or as many
// whole characters as these hold. Both tell the same campaign and the same class, however
// classes are made.
func TestLongNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		begin := rapid.SampledFrom([]string{"", "nf-A_(", "toil_job_1_", "pipe_", "P/a1b2c3/step/", "snakejob_a", "paper:"}).Draw(t, "begin")
		fill := strings.Repeat(rapid.SampledFrom([]string{"x", "é", "€", "𝄞", "xé", ".*[("}).Draw(t, "fill"), rapid.IntRange(0, 300).Draw(t, "times"))
		name := []byte(begin + fill + rapid.SampledFrom([]string{"", "_" + run, "_17", run}).Draw(t, "end"))
		queue := name[:min(len(name), 1024)]
		bytes255 := name[:min(len(name), 255)]
		whole := bytes255
		for len(name) > 255 && !utf8.Valid(whole) {
			whole = whole[:len(whole)-1]
		}
		for _, class := range []ledger.ClassBy{ledger.ByName, ledger.ByScript, ledger.ByKind} {
			for _, declared := range []ledger.DeclareBy{ledger.NotDeclared, ledger.InName, ledger.ByTool} {
				c := ledger.Config{Class: class, Declared: declared}
				say := func(name []byte) accounting.Row {
					var r accounting.Row
					c.Say(&r, &tools.Texts{Name: name}, 0)
					return r
				}
				want := say(queue)
				for _, stored := range [][]byte{bytes255, whole} {
					if got := say(stored); got.Class != want.Class || got.Said != want.Said {
						t.Fatalf("class by %v, campaigns by %v: the queue's %q: class %x, %q; accounting's %q: class %x, %q",
							class, declared, queue, want.Class, want.Said.Campaign, stored, got.Class, got.Said.Campaign)
					}
				}
			}
		}
	})
}

// TestAfterTheEnd: a row that has ended tells the same campaign and class as while it waited, though
// accounting stores a comment only then.
func TestAfterTheEnd(t *testing.T) {
	c := ledger.Config{Class: ledger.ByKind, Declared: ledger.ByTool}
	texts := tools.Texts{Name: []byte(run), Line: []byte("sbatch --comment rule_a_wildcards_b x")}
	waits, ended := accounting.Row{}, accounting.Row{End: 5}
	c.Say(&waits, &texts, 0)
	texts.Comment = []byte("campaign:mine,expect=5")
	c.Say(&ended, &texts, 0)
	if waits.Class != ended.Class || waits.Said.Campaign != ended.Said.Campaign || waits.Said.Campaign != "run:"+run {
		t.Errorf("%+v, then %+v", waits, ended)
	}
}

// TestTagsAreText: what a user writes is never taken for a pattern, and a tag with special letters
// does not change the kind.
func TestTagsAreText(t *testing.T) {
	want := tools.Table(nil).Read(&tools.Texts{Name: []byte("nf-ALIGN_(a)")})
	rapid.Check(t, func(t *rapid.T) {
		tag := rapid.StringMatching(`[.*+?()|\[\]{}^$\\ a-z%_'"-]{0,40}`).Draw(t, "tag")
		if got := tools.Table(nil).Read(&tools.Texts{Name: []byte("nf-ALIGN_(" + tag + ")")}); got != want {
			t.Errorf("tag %q: %+v, want %+v", tag, got, want)
		}
	})
}
