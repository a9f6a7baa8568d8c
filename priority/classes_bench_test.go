package priority

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"slurm-ostrich/ostrich"
)

// BenchmarkClasses finds the classes of a site on which nearly every QOS of every partition is one.
func BenchmarkClasses(b *testing.B) {
	for _, size := range []struct{ qos, parts int }{{20, 5}, {100, 5}, {200, 20}} {
		b.Run(fmt.Sprintf("qos=%d/partitions=%d", size.qos, size.parts), func(b *testing.B) {
			var qos, parts []string
			for i := range size.qos {
				qos = append(qos, fmt.Sprintf("q%d=%d>q%d", i, i*37%1009, (i+size.qos-1)%size.qos/2))
			}
			for i := range size.parts {
				parts = append(parts, fmt.Sprintf("p%d=1/%d", i, 1+i*i))
			}
			c, list := classSite(Weights{QOS: 1_000_000, Partition: 977}, strings.Join(qos, " "), strings.Join(parts, " "))
			for b.Loop() {
				b.ReportMetric(float64(len(ClassesAuto.Classes(c, list).Names)), "classes")
			}
		})
	}
}

// BenchmarkPlanOfClasses plans 10 000 jobs whose values are right already, with 1 class and with 500.
func BenchmarkPlanOfClasses(b *testing.B) {
	for _, n := range []int{1, 500} {
		b.Run(fmt.Sprintf("classes=%d", n), func(b *testing.B) {
			names := make([]string, n)
			o := Options{Channel: SiteFactor, Mode: Strict, Controller: multifactor(), Margin: 20, Procs: 1000, Classes: ostrich.Classes{
				Names: names, Of: func(_, qos string) int { return int(qos[0])<<8 | int(qos[1]) },
			}}
			orders := make([]Order, n)
			for class := range orders {
				orders[class] = Order{Class: class, Procs: 1000}
			}
			var queue []Queued
			for id := range 10_000 {
				class := id * 7919 % n
				q := job(ostrich.JobID(id+1), nil)
				q.QOS = string([]byte{byte(class >> 8), byte(class)})
				queue = append(queue, q)
				orders[class].Places = append(orders[class].Places, ostrich.Place{Job: q.Job, Campaign: id%200 + 1, User: ostrich.UserID(id % 200), Procs: 1})
			}
			for b.Loop() {
				Rank(queue, nil)
				p, err := o.PlanPools(orders, queue)
				if err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				for _, c := range p.Changes() {
					queue[slices.IndexFunc(queue, func(q Queued) bool { return q.Job == c.Job })].Site = c.To
				}
				b.StartTimer()
			}
		})
	}
}
