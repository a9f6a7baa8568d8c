// Package book tests the documentation: it runs every command that a page shows,
// compares the output with the page, and follows every link.
//
// Commands stand in fenced blocks. In a console block, lines that begin with "$ "
// are commands, "> " continues one, and other lines are its output. In an sh block
// every line is a command. An HTML comment before the block says where to run it:
//
//	<!-- run: anywhere -->    with Go and the built commands; the same as no comment
//	<!-- run: logs -->        the same, with the workload logs of $OSTRICH_TRACES
//	<!-- run: testbed -->     brings up clusters itself: root, Debian, OSTRICH_TEST_SLURM=1
//	<!-- run: cluster -->     beside a Slurm with users and jobs; the same needs
//	<!-- run: compose -->     with docker, OSTRICH_TEST_DOCKER=1
//	<!-- run: package -->     by the test of contrib/packaging, with the packages of the tree
//	<!-- not run: REASON -->  not at all
//
// After the place may stand "exit N" (commands may exit with N as well as with 0)
// and "exact" (numbers must be equal too). All but compose runs on a throw-away
// copy of the machine.
package book

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Block is a fenced block with commands.
type Block struct {
	Line     int    // of the fence, from 1
	Where    string // one of places; "" if it is not run
	Reason   string // why it is not run
	Exact    bool   // numbers of the output must be equal
	Exit     int    // an exit code that counts as success
	Commands []Command
}

// Command is one command of a block.
type Command struct {
	Line   int      // of its first line, from 1
	Text   string   // its lines, without the prompt
	Output []string // expected output; nil: not shown
}

var (
	places  = []string{"anywhere", "logs", "testbed", "cluster", "compose", "package"}
	mark    = regexp.MustCompile(`^<!--\s*(run|not run):\s*(.*?)\s*-->$`)
	comment = regexp.MustCompile(`^<!--\s*(not )?run`)
	prompt  = regexp.MustCompile(`^> ?`)
	nested  = regexp.MustCompile("^ +```+(console|sh)")
	fence   = regexp.MustCompile("^(```+)([a-z]*)\\s*$")
	here    = regexp.MustCompile(`(?:^|[^<])<<-?\s*['"]?(\w+)['"]?`)
	// indented matches a line of a block that looks like a command but is not
	// run.
	indented = regexp.MustCompile(`^ {4}(\$ |[A-Z_]+=\S+ |(ostrichd?|go|contrib/\S+|apt(-get)?|docker(-compose)?|systemctl|install|scontrol|sacct|sacctmgr|curl|ssh|git|runuser)( |$))`)
)

// Parse finds the blocks with commands of a page. Errors begin with the line.
func Parse(text string) ([]Block, error) {
	var blocks []Block
	var next *Block // from the comment above
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimRight(lines[i], " ")
		opening := fence.FindStringSubmatch(line)
		switch {
		case mark.MatchString(line) && next == nil:
			b, err := marked(mark.FindStringSubmatch(line))
			if err != nil {
				return nil, fmt.Errorf("%d: %w", i+1, err)
			}
			next = &b
			continue
		case comment.MatchString(line):
			return nil, fmt.Errorf("%d: %s: not a comment that says where to run, or the second one", i+1, line)
		case opening != nil:
			end := i + 1
			for end < len(lines) && strings.TrimRight(lines[end], " ") != opening[1] {
				end++
			}
			if end == len(lines) {
				return nil, fmt.Errorf("%d: the block has no end", i+1)
			}
			inside, commands := lines[i+1:end], slices.Contains([]string{"console", "sh"}, opening[2])
			if !commands && (next != nil || opening[2] == "" && slices.ContainsFunc(inside, func(s string) bool { return indented.MatchString("    " + s) })) {
				return nil, fmt.Errorf("%d: commands stand in blocks that begin with ```console or ```sh", i+1)
			}
			if commands {
				b := Block{Where: "anywhere"}
				if next != nil {
					b = *next
				}
				b.Line = i + 1
				var err error
				if b.Commands, err = split(inside, i+2, opening[2] == "console"); err != nil {
					return nil, err
				}
				blocks, next = append(blocks, b), nil
			}
			i = end
		case indented.MatchString(line), nested.MatchString(line):
			return nil, fmt.Errorf("%d: a command outside of a ```console or ```sh block", i+1)
		case line != "" && next != nil:
			return nil, fmt.Errorf("%d: no block follows the comment that says where it runs", i+1)
		}
	}
	if next != nil {
		return nil, fmt.Errorf("%d: no block follows the comment that says where it runs", len(lines))
	}
	return blocks, nil
}

// marked parses a comment, as matched: whole, kind, words.
func marked(m []string) (Block, error) {
	if m[1] == "not run" {
		if m[2] == "" {
			return Block{}, errors.New("not run: needs a reason")
		}
		return Block{Reason: m[2]}, nil
	}
	words := strings.Split(m[2], ", ")
	b := Block{Where: words[0]}
	if !slices.Contains(places, b.Where) {
		return Block{}, fmt.Errorf("run: %q: must be one of %s", b.Where, strings.Join(places, ", "))
	}
	for _, word := range words[1:] {
		code, isExit := strings.CutPrefix(word, "exit ")
		n, err := strconv.Atoi(code)
		switch {
		case word == "exact":
			b.Exact = true
		case isExit && err == nil:
			b.Exit = n
		default:
			return Block{}, fmt.Errorf("run: %s, %q: must be exact or exit N", b.Where, word)
		}
	}
	return b, nil
}

// split splits the lines of a block into commands; first is the number of the
// first line.
func split(lines []string, first int, console bool) ([]Command, error) {
	var commands []Command
	for i := 0; i < len(lines); i++ {
		text, isCommand := lines[i], true
		if console {
			text, isCommand = strings.CutPrefix(lines[i], "$ ")
		} else if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		if !isCommand {
			if len(commands) == 0 {
				return nil, fmt.Errorf("%d: the block does not begin with a command (\"$ \")", first+i)
			}
			c := &commands[len(commands)-1]
			c.Output = append(c.Output, lines[i])
			continue
		}
		c := Command{Line: first + i, Text: text}
		end := ""
		if m := here.FindStringSubmatch(text); m != nil {
			end = m[1]
		}
		for end != "" || strings.HasSuffix(text, `\`) {
			i++
			if i == len(lines) {
				return nil, fmt.Errorf("%d: the command has no end", c.Line)
			}
			text = lines[i]
			if console {
				text = prompt.ReplaceAllString(text, "")
			}
			c.Text += "\n" + text
			if text == end {
				break
			}
		}
		commands = append(commands, c)
	}
	return commands, nil
}
