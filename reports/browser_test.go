package reports

import (
	"os"
	"testing"

	"github.com/firmproof/firmproof/reports/browser"
)

var chromium browser.Suite // of all tests here

func TestMain(m *testing.M) {
	code := m.Run()
	chromium.Close()
	os.Exit(code)
}
