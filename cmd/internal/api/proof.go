package api

import (
	"crypto/sha256"
	"encoding/hex"
	"net"
	"strings"
)

// ProofHeader is the header with the credential of munge that proves who makes a request on the
// web.
const ProofHeader = "Ostrich-Munge"

// proofVersion is how a proof begins.
const proofVersion = "ostrich-question-1"

// Proof returns what the credential of a request holds: that its user asks this service this
// question. Who steals the credential can ask nothing else with it, and nobody else. target is
// the path with the query, nonce a word that no other request has.
func Proof(method, service, target, nonce string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{method, service, target}, "\n")))
	return proofVersion + " " + hex.EncodeToString(sum[:]) + " " + nonce
}

// NonceOf returns the nonce of a proof, "" if it is none.
func NonceOf(proof string) string {
	words := strings.Split(proof, " ")
	if len(words) != 3 || words[0] != proofVersion {
		return ""
	}
	return words[2]
}

// Service returns a host of a request or an address as HOST:PORT, in lower case, without the
// final dot of a name.
func Service(host string, encrypted bool) string {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = strings.Trim(host, "[]"), "80"
		if encrypted {
			port = "443"
		}
	}
	return net.JoinHostPort(strings.TrimSuffix(strings.ToLower(name), "."), port)
}
