//go:build conformance

package dashboard_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/spoonbill-go/spoonbill/connectors"
	"github.com/spoonbill-go/spoonbill/expr"
	"github.com/spoonbill-go/spoonbill/internal/testenv"
	"github.com/spoonbill-go/spoonbill/observe/dashboard"
)

var pictures = flag.String("pictures", "", "a folder for pictures of the page")

// tab is a page of a browser that notes what it complains of and whom it asks.
type tab struct {
	ctx      context.Context
	mu       sync.Mutex
	problems []string
	hosts    map[string]bool
}

func browse(t *testing.T) *tab {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(testenv.Browser(t)), chromedp.NoSandbox)
	browser, cancel := chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	page, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	require.NoError(t, chromedp.Do(page), "the browser's start")
	limited, cancel := context.WithTimeout(page, time.Minute)
	t.Cleanup(func() {
		cancel()
		require.NoError(t, chromedp.Cancel(page), "the browser's end")
	})
	b := &tab{ctx: limited, hosts: map[string]bool{}}
	_, err := chromedp.Call(page, network.Enable, network.EnableParams{})
	require.NoError(t, err)
	require.NoError(t, chromedp.Listen(page, func(e any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch e := e.(type) {
		case *runtime.EventExceptionThrown:
			b.problems = append(b.problems, fmt.Sprint(e.ExceptionDetails.Text, e.ExceptionDetails.Exception))
		case *runtime.EventConsoleAPICalled:
			if string(e.Type) == "error" {
				b.problems = append(b.problems, fmt.Sprint(e.Args))
			}
		case *log.EventEntryAdded:
			// An answer that is an error is in here too, from the network.
			if string(e.Entry.Source) != "network" {
				b.problems = append(b.problems, e.Entry.Text)
			}
		case *network.EventRequestWillBeSent:
			if u, err := url.Parse(e.Request.URL); err == nil && u.Scheme != "data" {
				b.hosts[u.Host] = true
			}
		}
	}))
	return b
}

func (b *tab) do(t *testing.T, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	require.NoError(t, chromedp.Do(b.ctx, actions...))
}

// script runs a script in the page.
func script[T any](t *testing.T, b *tab, text string) T {
	t.Helper()
	got, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](text))
	require.NoError(t, err, text)
	return got
}

// is waits until a script is true.
func (b *tab) is(t *testing.T, script string) {
	t.Helper()
	_, err := chromedp.Run(b.ctx, chromedp.Poll[any](script, chromedp.WithPollingTimeout(15*time.Second)))
	require.NoError(t, err, script)
}

func (b *tab) text(t *testing.T, selector chromedp.CSS) string {
	t.Helper()
	text, err := chromedp.Run(b.ctx, chromedp.Text(selector))
	require.NoError(t, err)
	return text
}

// choose clicks a query in the list, by its label, and waits for it.
func (b *tab) choose(t *testing.T, label string) {
	t.Helper()
	script[any](t, b, fmt.Sprintf(`[...document.querySelectorAll("#queries a")].find((a) => a.textContent.startsWith(%q)).click()`, label))
	b.is(t, fmt.Sprintf(`document.getElementById("label").textContent === %q`, label))
}

func (b *tab) picture(t *testing.T, name string) {
	t.Helper()
	if *pictures == "" {
		return
	}
	image, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(*pictures, name+".png"), image, 0o600))
}

// contrast gives the least contrast of texts on the page, by WCAG's formula, and where it is.
const contrast = `(() => {
  const parse = (c) => c.match(/[\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.length < 4 || c[3] > 0) return c;
    }
    return [255, 255, 255];
  };
  let least = [99, ""];
  for (const e of document.querySelectorAll("body *")) {
    if (![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) || !e.checkVisibility()) continue;
    const a = light(parse(getComputedStyle(e).color)), b = light(behind(e));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < least[0]) least = [ratio, e.outerHTML.slice(0, 120)];
  }
  return least;
})()`

func TestPage(t *testing.T) {
	m, session, in, q := running(t)
	grows := expr.Read("events", in)
	_, err := session.Start(ctx, grows.GroupBy("K").Agg(expr.Count().As("n")).WriteTo(connectors.NewMemorySink()).OutputMode(expr.Update).Name("grows"))
	require.NoError(t, err)
	broken, err := session.Start(ctx, grows.WriteTo(connectors.ForeachBatch(func(context.Context, expr.Table, int64) error {
		return errors.New("the shop is <i>closed</i>")
	})).Name("orders"))
	require.NoError(t, err)
	require.Error(t, broken.AwaitTermination(ctx))
	require.Eventually(t, func() bool { return !m.Health().OK && len(m.Queries()) == 3 }, 10*time.Second, 5*time.Millisecond)
	s := serve(t, m, dashboard.Options{})

	b := browse(t)
	b.do(t, chromedp.EmulateViewport(1200, 900), chromedp.Navigate(s.URL()), chromedp.WaitVisible(chromedp.CSS("#queries li:nth-child(3)")))
	require.Contains(t, b.text(t, "#health"), "Query orders failed")

	// By keyboard alone: past the link to the query itself, into the list, and to the query that counts windows.
	press := func(keys string) { b.do(t, chromedp.KeyEvent(keys)) }
	for range 8 {
		press(kb.Tab)
		if script[string](t, b, `document.activeElement.querySelector("span")?.textContent ?? ""`) == "<b>windows</b>" {
			break
		}
	}
	press(kb.Enter)
	b.is(t, `document.getElementById("label").textContent === "<b>windows</b>"`)
	require.Contains(t, b.text(t, "#facts"), "2024-05-01 12:00:25.000 UTC")
	charts := script[[]string](t, b, `[...document.querySelectorAll("#charts svg[role=img]")].map((e) => e.getAttribute("aria-label").split(":")[0])`)
	require.Subset(t, charts, []string{"Epoch by phase", "Watermark behind the clock", "State rows", "State in memory", "Late rows"})
	require.Contains(t, b.text(t, "#operators"), "stateStoreSave")
	b.do(t, chromedp.Click(chromedp.CSS("#plan-load")))
	b.is(t, `document.querySelectorAll("#plan .operator").length > 2`)
	b.picture(t, "light")

	// Both colour schemes can be read.
	for _, scheme := range []string{"light", "dark"} {
		_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		require.NoError(t, err)
		for _, label := range []string{"orders", "grows", "<b>windows</b>"} {
			b.choose(t, label)
			least := script[[]any](t, b, contrast)
			require.GreaterOrEqual(t, least[0], 4.5, "%s, %s: %v", scheme, label, least[1])
			b.picture(t, scheme+"-"+strings.Trim(label, "</b>"))
		}
	}
	b.choose(t, "orders")
	b.is(t, `document.getElementById("failure-text").textContent.includes("<i>closed</i>") && !document.getElementById("failure").hidden`)
	b.is(t, `document.getElementById("stop").hidden && document.getElementById("plan-load").disabled`)
	b.choose(t, "grows")
	b.is(t, `document.getElementById("lint-list").textContent.includes("SB101")`)

	// A phone: nothing is wider than the screen.
	b.do(t, chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile))
	for _, label := range []string{"orders", "grows", "<b>windows</b>"} {
		b.choose(t, label)
		wide := script[[]string](t, b, `[...document.querySelectorAll("body *")].filter((e) => !e.closest(".scroll *, svg") && e.getBoundingClientRect().right > 361).map((e) => e.outerHTML.slice(0, 200))`)
		require.Empty(t, wide)
		require.LessOrEqual(t, script[float64](t, b, `document.documentElement.scrollWidth`), 360.0, "%v", script[[]any](t, b, `[innerWidth, document.body.scrollWidth, [...document.querySelectorAll("*")].filter((e) => e.scrollWidth > 360).map((e) => e.outerHTML.slice(0, 100))]`))
		b.picture(t, "phone-"+strings.Trim(label, "</b>"))
	}

	// What comes is shown without a click, and the focus stays where it is.
	b.do(t, chromedp.EmulateViewport(1200, 900), chromedp.Focus(chromedp.CSS("#stop")))
	require.NoError(t, in.Add(event{second(31), "x"}, event{second(32), "y"}))
	b.is(t, `document.getElementById("facts").textContent.includes("12:00:32.000")`)
	b.is(t, `document.activeElement.id === "stop"`)
	// Stop, by keyboard: what is asked for first does nothing.
	press(kb.Enter)
	b.is(t, `document.getElementById("confirm").open && document.activeElement.id === "confirm-no"`)
	press(kb.Enter)
	b.is(t, `!document.getElementById("confirm").open && document.activeElement.id === "stop"`)
	active, err := q.IsActive(ctx)
	require.NoError(t, err)
	require.True(t, active)
	press(kb.Enter)
	b.is(t, `document.activeElement.id === "confirm-no"`)
	press(kb.Tab)
	b.is(t, `document.activeElement.id === "confirm-yes"`)
	press(kb.Enter)
	require.NoError(t, q.AwaitTermination(ctx))
	b.is(t, `!document.getElementById("confirm").open && document.getElementById("state").textContent === "ended"`)

	// The process goes away, and the page says so.
	require.NoError(t, s.Close())
	b.is(t, `!document.getElementById("lost").hidden`)
	b.mu.Lock()
	defer b.mu.Unlock()
	require.Empty(t, b.problems)
	require.Equal(t, map[string]bool{strings.Trim(strings.TrimPrefix(s.URL(), "http://"), "/"): true}, b.hosts, "who was asked")
}

func TestPageAsksForTheToken(t *testing.T) {
	m, _, _, _ := running(t)
	s := serve(t, m, dashboard.Options{Token: token, ReadOnly: true})
	b := browse(t)
	b.do(t, chromedp.Navigate(s.URL()), chromedp.SendKeys(chromedp.CSS("#token"), "wrong"+kb.Enter), chromedp.WaitVisible(chromedp.CSS("#wrong")))
	b.picture(t, "token")
	b.do(t, chromedp.SendKeys(chromedp.CSS("#token"), token+kb.Enter))
	b.do(t, chromedp.WaitVisible(chromedp.CSS("#label")))
	b.is(t, `document.getElementById("label").textContent === "<b>windows</b>"`)
	b.is(t, `document.getElementById("stop").hidden`)
}
