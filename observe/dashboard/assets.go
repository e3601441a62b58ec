package dashboard

import (
	"embed"
	"html/template"
	"net/http"
)

// The page. It is one document, one script and one style sheet, which the process has in itself.
var (
	//go:embed assets/index.html
	indexPage []byte
	//go:embed assets/login.html
	loginText string
	loginPage = template.Must(template.New("login").Parse(loginText))
	//go:embed assets/app.js assets/style.css
	assets embed.FS
)

// page serves the page's files.
func page(mux *http.ServeMux) {
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(indexPage)
	})
	for name, kind := range map[string]string{"app.js": "text/javascript; charset=utf-8", "style.css": "text/css; charset=utf-8"} {
		mux.HandleFunc("GET /"+name, func(w http.ResponseWriter, _ *http.Request) {
			b, err := assets.ReadFile("assets/" + name)
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			w.Header().Set("Content-Type", kind)
			_, _ = w.Write(b)
		})
	}
}

// askToken answers with the page that asks for the token; wrong says that the one given was not it.
func askToken(w http.ResponseWriter, wrong bool) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(http.StatusUnauthorized)
	_ = loginPage.Execute(w, wrong)
}
