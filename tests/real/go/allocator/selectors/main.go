// cel-lines over the compiler that kube-scheduler itself links: k8s.io/dynamic-resource-allocation/cel.
//
// The same protocol as tests/tools/cel_lines.cc, with the cost: one JSON document per line in, one per line
// out. tests/real/agree_selectors.py feeds generated selectors to both and compares the answers.
//
//	go build -modfile=k8s-1.36.mod -tags=k136 -o real-selectors-1.36 ./selectors
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/dynamic-resource-allocation/cel"

	"fedra.dev/fedra/tests/real/go/allocator/gates"
)

type selectorCase struct {
	Name       string                                                    `json:"name"`
	Expr       string                                                    `json:"expr"`
	Driver     string                                                    `json:"driver"`
	Multiple   *bool                                                     `json:"allowMultipleAllocations"`
	Attributes map[resourceapi.QualifiedName]resourceapi.DeviceAttribute `json:"attributes"`
	Capacity   map[resourceapi.QualifiedName]resource.Quantity           `json:"capacity"`
}

type answer struct {
	Name    string `json:"name"`
	Outcome string `json:"outcome"`
	Error   string `json:"error,omitempty"`
	Cost    uint64 `json:"cost,omitempty"`
}

func judge(c selectorCase) (out answer) {
	out.Name = c.Name
	defer func() {
		if p := recover(); p != nil {
			out = answer{Name: c.Name, Outcome: "panic", Error: fmt.Sprint(p)}
		}
	}()
	// As the scheduler's cache compiles (cel/cache.go): estimates are the API server's business.
	compiled := cel.GetCompiler(gates.CEL).CompileCELExpression(c.Expr, cel.Options{DisableCostEstimation: true})
	if compiled.Error != nil {
		out.Outcome, out.Error = "compile-error", compiled.Error.Error()
		return
	}
	device := cel.Device{
		Driver: c.Driver, AllowMultipleAllocations: c.Multiple, Attributes: c.Attributes,
		Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{},
	}
	for name, value := range c.Capacity {
		device.Capacity[name] = resourceapi.DeviceCapacity{Value: value}
	}
	matches, details, err := compiled.DeviceMatches(context.Background(), device)
	if err != nil {
		out.Outcome, out.Error = "runtime-error", err.Error()
		return
	}
	out.Outcome = fmt.Sprint(matches)
	if cost := details.ActualCost(); cost != nil {
		out.Cost = *cost
	}
	return
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 16<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for in.Scan() {
		var c selectorCase
		if err := json.Unmarshal(in.Bytes(), &c); err != nil {
			encoder.Encode(answer{Outcome: "bad-input", Error: err.Error()})
			continue
		}
		encoder.Encode(judge(c))
	}
}
