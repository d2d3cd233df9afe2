// Vegeta's attacker as a program: one address at a constant rate, or as fast as it can.
package main

import (
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"
)

func main() {
	url := flag.String("url", "", "address")
	rate := flag.Int("rate", 0, "requests a second; 0 is as fast as the workers can")
	workers := flag.Uint64("workers", 64, "most requests at once")
	duration := flag.Duration("duration", time.Second, "length")
	flag.Parse()
	attacker := vegeta.NewAttacker(vegeta.Workers(*workers), vegeta.MaxWorkers(*workers),
		vegeta.Connections(int(*workers)))
	target := vegeta.NewStaticTargeter(vegeta.Target{Method: http.MethodGet, URL: *url})
	var metrics vegeta.Metrics
	pace := vegeta.Rate{Freq: *rate, Per: time.Second}
	for result := range attacker.Attack(target, pace, *duration, "bench") {
		metrics.Add(result)
	}
	metrics.Close()
	_ = json.NewEncoder(os.Stdout).Encode(map[string]uint64{"requests": metrics.Requests})
}
