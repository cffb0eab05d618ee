// Reads a histogram log with Go's HdrHistogram: prints the count, percentiles and maximum of the sum of each tag.
package main

import (
	"encoding/json"
	"os"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

var percentiles = []float64{50, 75, 90, 95, 99, 99.9, 100}

func main() {
	log, err := os.Open(os.Args[1])
	check(err)
	reader := hdr.NewHistogramLogReader(log)
	sums := map[string]*hdr.Histogram{}
	for {
		interval, err := reader.NextIntervalHistogram()
		check(err)
		if interval == nil {
			break
		}
		sum, found := sums[interval.Tag()]
		if !found {
			sum = hdr.New(1, 3_600_000_000, 3)
			sums[interval.Tag()] = sum
		}
		if dropped := sum.Merge(interval); dropped > 0 {
			panic("a value is too large")
		}
	}
	tags := map[string][]int64{}
	for tag, sum := range sums {
		tags[tag] = []int64{sum.TotalCount()}
		if sum.TotalCount() == 0 {
			continue
		}
		for _, percentile := range percentiles {
			tags[tag] = append(tags[tag], sum.ValueAtQuantile(percentile))
		}
	}
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{"tags": tags}))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
