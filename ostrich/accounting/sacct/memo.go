package sacct

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
)

// A memo remembers what was read of some cells. Most jobs of a dump are like the one before or like others in most
// columns, and to find such cells again costs much less than to read them. It has room for
// some: a later one takes the place of another. The zero value is ready.
type memo[T any] struct {
	seed   maphash.Seed
	slots  []remembered[T] // by hash
	key    []byte          // of the latest search
	latest *remembered[T]  // what it found or was kept of it; nil: nothing
}

type remembered[T any] struct {
	key   []byte // none: nothing
	value T
}

const (
	memory    = 1 << 12 // slots
	memorable = 1 << 10 // bytes of cells that are remembered
)

// find returns what was read of these cells, if that is remembered.
func (m *memo[T]) find(cells ...[]byte) (value T, known bool) {
	if m.latest != nil && m.again(cells) {
		return m.latest.value, true
	}
	key := m.key[:0]
	for _, cell := range cells {
		key = append(binary.AppendUvarint(key, uint64(len(cell))), cell...)
	}
	m.key, m.latest = key, nil
	if slot := m.slot(); slot != nil && bytes.Equal(slot.key, m.key) {
		m.latest = slot
		return slot.value, true
	}
	return value, false
}

// again reports whether short cells are those of the latest search.
func (m *memo[T]) again(cells [][]byte) bool {
	rest := m.key
	for _, cell := range cells {
		n := len(cell)
		if n >= 0x80 || len(rest) <= n || int(rest[0]) != n || !bytes.Equal(rest[1:n+1], cell) {
			return false
		}
		rest = rest[n+1:]
	}
	return true
}

// keep remembers what was read of the cells of the latest search.
func (m *memo[T]) keep(value T) {
	if slot := m.slot(); slot != nil {
		slot.key, slot.value, m.latest = append(slot.key[:0], m.key...), value, slot
	}
}

// slot is where the cells of the latest search are; nil if they are too long.
func (m *memo[T]) slot() *remembered[T] {
	if len(m.key) > memorable {
		return nil
	}
	if m.slots == nil {
		m.seed, m.slots = maphash.MakeSeed(), make([]remembered[T], memory)
	}
	return &m.slots[maphash.Bytes(m.seed, m.key)%memory]
}
