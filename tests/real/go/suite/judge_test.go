package structured

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// What fedra says of one case, and the program that says it.

type devices []map[string]string

// As judge-lines prints it.
type answer struct {
	Outcome string  `json:"outcome"`
	Error   string  `json:"error,omitempty"`
	Results devices `json:"results,omitempty"`
}

func (a answer) equal(b answer) bool {
	return a.Outcome == b.Outcome && slices.Equal(a.Results.names(), b.Results.names())
}

func (d devices) names() []string {
	var names []string
	for _, r := range d {
		names = append(names, strings.Join([]string{r["claim"], r["request"], r["driver"], r["pool"], r["device"]}, " "))
	}
	slices.Sort(names)
	return names
}

type judge struct {
	kubernetes string // "v1.36.3"
	in         io.Writer
	out        *bufio.Reader
}

func startJudge(t *testing.T) *judge {
	command := exec.Command(os.Getenv("FEDRA_JUDGE_LINES"))
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		command.Wait()
	})
	return &judge{os.Getenv("FEDRA_KUBERNETES"), in, bufio.NewReader(out)}
}

func (j *judge) ask(question map[string]any) (answer, error) {
	line, err := json.Marshal(question)
	if err != nil {
		return answer{}, err
	}
	if _, err := j.in.Write(append(line, '\n')); err != nil {
		return answer{}, err
	}
	reply, err := j.out.ReadBytes('\n')
	if err != nil {
		return answer{}, err
	}
	var a answer
	return a, json.Unmarshal(reply, &a)
}
