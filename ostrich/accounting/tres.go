package accounting

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// TRES holds the counts of a TRES string, Slurm's trackable resources; 0 for what it does
// not name.
type TRES struct {
	CPUs, Nodes, Billing uint64
	Memory               uint64  // MiB
	Others               []Count // as far as somebody asks for them, see Unit.Named
}

// Count is how much there is of a resource.
type Count struct {
	Name string // as Slurm writes it: gres/gpu, gres/gpu:a100, license/matlab
	N    uint64
}

// Of returns the count of a resource by its name.
func (t *TRES) Of(name string) uint64 {
	switch name {
	case "cpu":
		return t.CPUs
	case "mem":
		return t.Memory
	case "node":
		return t.Nodes
	case "billing":
		return t.Billing
	}
	for _, c := range t.Others {
		if strings.EqualFold(c.Name, name) {
			return c.N
		}
	}
	return 0
}

// kindsOfTRES are the types of TRES, and of those that have one a sample name
// (slurmdb_defs.c, and accounting_storage_slurmdbd's table of TRES).
var kindsOfTRES = []string{"cpu", "mem", "node", "billing", "energy", "vmem", "pages", "gres/NAME", "license/NAME", "fs/NAME", "bb/NAME", "ic/NAME"}

// KnownTRES returns nil if Slurm can have such a TRES. Letters may be capitals.
func KnownTRES(name string) error {
	kind, of, named := strings.Cut(strings.ToLower(name), "/")
	for _, k := range kindsOfTRES {
		if known, _, needs := strings.Cut(k, "/"); kind == known && needs == named && (!named || of != "") {
			return nil
		}
	}
	return fmt.Errorf("%q: not a TRES: %s", name, strings.Join(kindsOfTRES, ", "))
}

// units are the letters of amounts, each 1024 times the one before.
const units = "KMGTP"

// Weight is what one of a resource is billed.
type Weight struct {
	Resource string  // in lower case: cpu, mem, gres/gpu
	Each     float64 // of memory, for a MiB
	Unit     bool    // the weight named the unit of what it is for, as 0.25G does
}

// ReadWeights reads TRESBillingWeights, such as "CPU=1.0,Mem=0.25G,GRES/gpu=2"
// (slurm_get_tres_weight_array in Slurm's src/common/slurm_protocol_api.c). It returns them in
// the order in which Slurm adds them up.
func ReadWeights(text string) ([]Weight, error) {
	var all []Weight
	for item := range strings.SplitSeq(text, ",") {
		name, number, ok := strings.Cut(item, "=")
		if name = strings.TrimSpace(name); !ok || name == "" || number == "" {
			return nil, fmt.Errorf("%q: want RESOURCE=WEIGHT, as in CPU=1.0, Mem=0.25G or GRES/gpu=2", item)
		}
		if err := KnownTRES(name); err != nil {
			return nil, err
		}
		w := Weight{Resource: strings.ToLower(name)}
		if i := strings.IndexByte(units, number[len(number)-1]&^0x20); i >= 0 {
			number, w.Unit = number[:len(number)-1], true
			w.Each = math.Exp2(-float64(10 * (i + 1)))
			if w.Resource == "mem" {
				w.Each *= 1 << 20
			}
		} else {
			w.Each = 1
		}
		n, err := strconv.ParseFloat(number, 64)
		if w.Each *= n; err != nil || math.IsNaN(n) || math.IsInf(w.Each, 0) {
			return nil, fmt.Errorf("%q: the weight is not a number, with or without one of K, M, G, T, P", item)
		}
		all = append(all, w)
	}
	return inTurn(all), nil
}
