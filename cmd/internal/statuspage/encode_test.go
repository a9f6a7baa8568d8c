package statuspage

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"

	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/priority"
)

// TestEncode compares with encoding/json, whatever the jobs of a plan have in their fields.
func TestEncode(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for n := range 60 {
		p := PlanAnswer{Plan: view.Plan{Cluster: `a"jobs":[]`, Jobs: []view.Job{}}, List: make([]Queued, n%4), Pending: n, Matched: 3}
		for i := range p.List {
			p.List[i].Job = new(view.Job)
			fill(random, reflect.ValueOf(&p.List[i]).Elem())
		}
		var got, want bytes.Buffer
		if err := encode(&got, p); err != nil {
			t.Fatal(err)
		}
		if err := json.NewEncoder(&want).Encode(p); err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() {
			t.Fatalf("got\n%s\nwant\n%s", got.String(), want.String())
		}
	}
}

// fill gives a random value to whatever v holds; every third pointer is nil.
func fill(random *rand.Rand, v reflect.Value) {
	texts := []string{"", "gpu", "a,b", `say "no"`, "\\", "<b>&", "\x01\n\u2028", "é", "\xff", "a\x7f"}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Anonymous {
				fill(random, v.Field(i).Elem())
			} else {
				fill(random, v.Field(i))
			}
		}
	case reflect.Pointer:
		if random.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(random, v.Elem())
		}
	case reflect.String:
		v.SetString(texts[random.IntN(len(texts))])
	case reflect.Bool:
		v.SetBool(random.IntN(2) > 0)
	case reflect.Float64:
		v.SetFloat(random.Float64())
	case reflect.Int, reflect.Int64:
		v.SetInt(random.Int64() - random.Int64())
	case reflect.Uint32:
		v.SetUint(uint64(random.Uint32()))
	case reflect.Uint8:
		v.SetUint(uint64(random.IntN(int(priority.IsHeld) + 1)))
	default:
		panic(v.Type())
	}
}
