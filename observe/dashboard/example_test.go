package dashboard_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/spoonbill-go/spoonbill/backend/local"
	"github.com/spoonbill-go/spoonbill/observe"
	"github.com/spoonbill-go/spoonbill/observe/dashboard"
	"github.com/spoonbill-go/spoonbill/observe/metrics"
)

// A page, metrics and a log of a session's queries.
func Example() {
	ctx := context.Background()
	session, err := local.Open()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()

	monitor := observe.NewMonitor(observe.Options{Logger: slog.New(slog.NewTextHandler(os.Stderr, nil))})
	defer monitor.Close()
	if err := monitor.Watch(ctx, "orders", session); err != nil { // before the first Start, to know the warnings too
		fmt.Println(err)
		return
	}

	registry := prometheus.NewRegistry()
	registry.MustRegister(metrics.Collector(monitor))
	page, err := dashboard.Serve(ctx, "127.0.0.1:0", monitor, dashboard.Options{Metrics: promhttp.HandlerFor(registry, promhttp.HandlerOpts{})})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer page.Close()

	// … session.Start(…), and open page.URL() in a browser.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Get(page.URL() + "health")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer answer.Body.Close()
	fmt.Println(answer.Status)
	// Output: 200 OK
}
