// Package fromjson reads what scontrol wrote with --json as what it shows without.
package fromjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// NoReservations is what scontrol shows where there are none.
const NoReservations = "No reservations in the system"

// Shown returns what scontrol shows without --json of the nodes, partitions and reservations that
// it wrote with it, as far as they are read here; other texts as they are. Paths of fields are
// those of Slurm's data_parser/v0.0.38 to v0.0.46 (PARSER_ARRAY of NODE, PARTITION_INFO and
// RESERVATION_INFO); a number may be an object with set, infinite and number.
func Shown(text string) (string, error) {
	whole := strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	if !strings.HasPrefix(whole, "{") {
		return text, nil
	}
	var tree map[string]any
	in := json.NewDecoder(strings.NewReader(whole))
	in.UseNumber()
	if err := in.Decode(&tree); err != nil {
		return "", fmt.Errorf("scontrol --json: %w", err)
	}
	var out bytes.Buffer
	found := false
	for _, of := range jsonTables {
		list, is := tree[of.list].([]any)
		if !is {
			continue
		}
		found = true
		for i, element := range list {
			line, err := of.line(element)
			if err != nil {
				return "", fmt.Errorf("scontrol --json: %s: number %d: %w", of.list, i, err)
			}
			out.WriteString(line + "\n")
		}
	}
	switch _, none := tree["reservations"]; {
	case !found:
		return "", errJSON
	case out.Len() == 0 && none:
		return NoReservations + "\n", nil
	}
	return out.String(), nil
}

var errJSON = errors.New("JSON without nodes, partitions or reservations: it should be what `scontrol show nodes --json`, `show partitions --json` or `show reservations --json` wrote; all else is read without --json")

// jsonTable is a list of the JSON, and the keys of what is in it. The first is the name.
type jsonTable struct {
	list string
	keys []jsonKey
}

// jsonKey is a key of what scontrol shows, and where JSON has its value.
type jsonKey struct {
	key, path string                         // several paths are tried one after the other
	text      func(value any) (string, bool) // nil: the value itself; false if it says nothing
}

var jsonTables = []jsonTable{
	{"nodes", []jsonKey{
		{"NodeName", "name", nil},
		{"CPUTot", "cpus", nil},
		{"CPUEfctv", "effective_cpus", nil},
		{"Sockets", "sockets", nil},
		{"CoresPerSocket", "cores", nil},
		{"ThreadsPerCore", "threads", nil},
		{"RealMemory", "real_memory", nil},
		{"MemSpecLimit", "specialized_memory", nil},
		{"Gres", "gres", nil},
		{"AvailableFeatures", "features", nil},
		{"ActiveFeatures", "active_features", nil},
		{"Weight", "weight", nil},
		{"State", "state", jsonStates},
		{"CfgTRES", "tres", nil},
	}},
	{"partitions", []jsonKey{
		{"PartitionName", "name", nil},
		{"Nodes", "nodes/configured", nil},
		{"TotalCPUs", "cpus/total", nil},
		{"PriorityTier", "priority/tier", nil},
		{"PriorityJobFactor", "priority/job_factor", nil},
		{"MaxTime", "maximums/time", jsonMinutes},
		{"DefaultTime", "defaults/time", jsonMinutes},
		{"MaxNodes", "maximums/nodes", nil},
		{"MinNodes", "minimums/nodes", nil},
		{"MaxCPUsPerNode", "maximums/cpus_per_node", nil},
		{"DefMemPerCPU", "defaults/partition_memory_per_cpu", nil},
		{"DefMemPerNode", "defaults/partition_memory_per_node", nil},
		{"MaxMemPerCPU", "maximums/partition_memory_per_cpu", nil},
		{"MaxMemPerNode", "maximums/partition_memory_per_node", nil},
		{"OverSubscribe", "partition/oversubscribe maximums/shares", jsonShares}, // since 26.05 shares have another meaning
		{"Exclusive", "partition/exclusive", nil},
		{"PreemptMode", "preempt_mode", jsonPreempt}, // since 26.05
		{"QoS", "qos/assigned", nil},
		{"GraceTime", "grace_time", nil},
		{"TRESBillingWeights", "tres/billing_weights", nil},
	}},
	{"reservations", []jsonKey{
		{"ReservationName", "name", nil},
		{"StartTime", "start_time", nil},
		{"EndTime", "end_time", nil},
		{"Nodes", "node_list", nil},
		{"Users", "users", nil},
		{"Accounts", "accounts", nil},
		{"PartitionName", "partition", nil},
		{"Flags", "flags", nil},
		{"TRES", "tres", nil},
	}},
}

// line returns an element as scontrol -o shows it.
func (t *jsonTable) line(element any) (string, error) {
	var words []string
	for i, k := range t.keys {
		var text string
		var is bool
		for path := range strings.FieldsSeq(k.path) {
			value := element
			for step := range strings.SplitSeq(path, "/") {
				fields, _ := value.(map[string]any)
				value = fields[step]
			}
			text, is = jsonText(value)
			if is && k.text != nil {
				text, is = k.text(value)
			}
			if is {
				break
			}
		}
		if is {
			words = append(words, k.key+"="+strings.Join(strings.Fields(text), "_"))
		} else if i == 0 {
			return "", errors.New("has no name")
		}
	}
	return strings.Join(words, " "), nil
}

// jsonText returns a text, a number, the number of an object with set, infinite and number, or
// the elements of a list with commas between them. It is false for what says nothing.
func jsonText(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, v != ""
	case json.Number:
		return v.String(), true
	case bool:
		return strconv.FormatBool(v), true
	case []any:
		var words []string
		for _, element := range v {
			if word, is := jsonText(element); is {
				words = append(words, word)
			}
		}
		return strings.Join(words, ","), len(words) > 0
	case map[string]any:
		if v["infinite"] == true {
			return "UNLIMITED", true
		}
		if v["set"] == true {
			return jsonText(v["number"])
		}
	}
	return "", false
}

// jsonStates joins the states of a node.
func jsonStates(value any) (string, bool) {
	text, is := jsonText(value)
	return strings.ToUpper(strings.ReplaceAll(text, ",", "+")), is
}

// jsonMinutes writes minutes as scontrol does.
func jsonMinutes(value any) (string, bool) {
	text, is := jsonText(value)
	n, err := strconv.ParseUint(text, 10, 32)
	switch {
	case !is:
		return "", false
	case err != nil:
		return text, true
	case n == 1<<32-1:
		return "UNLIMITED", true
	case n == 1<<32-2:
		return "NONE", true
	}
	return fmt.Sprintf("%d-%02d:%02d:00", n/1440, n/60%24, n%60), true
}

// jsonPreempt writes the modes of preemption as scontrol does; that of the cluster is nothing of a partition's.
func jsonPreempt(value any) (string, bool) {
	text, is := jsonText(value)
	return strings.ReplaceAll(text, "DISABLED", "OFF"), is && text != "CLUSTER_GLOBAL"
}

// jsonShares writes what 26.05 says as it stands, or the number of jobs that may share a node, with the bit that forces them to
// (SHARED_FORCE in slurm/slurm.h), as OverSubscribe.
func jsonShares(value any) (string, bool) {
	text, is := jsonText(value)
	n, err := strconv.ParseUint(text, 10, 16)
	const force = 1 << 15
	switch {
	case !is || err != nil:
		return text, is // an unknown word too: maximums/shares says nothing beside it
	case n == 0:
		return "EXCLUSIVE", true
	case n&force != 0:
		return fmt.Sprintf("FORCE:%d", n&^force), true
	case n == 1:
		return "NO", true
	}
	return fmt.Sprintf("YES:%d", n), true
}
