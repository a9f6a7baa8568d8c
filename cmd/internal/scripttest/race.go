//go:build race

package scripttest

// race says that the tests run under the race detector.
const race = true
