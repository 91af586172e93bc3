// judge-lines over the allocator that kube-scheduler itself links: k8s.io/dynamic-resource-allocation.
//
// The same protocol as tests/tools/judge_lines.cc: one JSON document per line in, one per line out.
// tests/real/agree_dra.py feeds generated cases to both and compares the answers.
//
// One program for each release of Kubernetes: k8s-1.NN.mod has its modules, gates/gates_1.NN.go its feature
// gates.
//
//	go build -modfile=k8s-1.36.mod -tags=k136 -o real-allocator-1.36 .
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"

	"fedra.dev/fedra/tests/real/go/allocator/gates"
)

type testCase struct {
	Name            string                       `json:"name"`
	Node            v1.Node                      `json:"node"`
	Classes         []*resourceapi.DeviceClass   `json:"classes"`
	Slices          []*resourceapi.ResourceSlice `json:"slices"`
	AllocatedClaims []*resourceapi.ResourceClaim `json:"allocatedClaims"`
	Claims          []*resourceapi.ResourceClaim `json:"claims"`
}

type result struct {
	Claim   string `json:"claim"`
	Request string `json:"request"`
	Driver  string `json:"driver"`
	Pool    string `json:"pool"`
	Device  string `json:"device"`
}

type answer struct {
	Name    string   `json:"name"`
	Outcome string   `json:"outcome"`
	Error   string   `json:"error,omitempty"`
	Results []result `json:"results,omitempty"`
	// Other answers to the same question (-repeat).
	Also []answer `json:"also,omitempty"`
}

type classes []*resourceapi.DeviceClass

func (c classes) List() ([]*resourceapi.DeviceClass, error) { return c, nil }
func (c classes) Get(name string) (*resourceapi.DeviceClass, error) {
	for _, class := range c {
		if class.Name == name {
			return class, nil
		}
	}
	return nil, fmt.Errorf("deviceclass %q not found", name)
}

// What kube-scheduler gathers from all claims (dynamicresources/allocateddevices.go).
func gather(claims []*resourceapi.ResourceClaim) structured.AllocatedState {
	state := structured.AllocatedState{
		AllocatedDevices:         sets.New[structured.DeviceID](),
		AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](),
		AggregatedCapacity:       structured.NewConsumedCapacityCollection(),
	}
	for _, claim := range claims {
		if claim.Status.Allocation == nil {
			continue
		}
		for _, device := range claim.Status.Allocation.Devices.Results {
			if device.AdminAccess != nil && *device.AdminAccess {
				continue
			}
			id := structured.MakeDeviceID(device.Driver, device.Pool, device.Device)
			if device.ShareID == nil || !gates.ConsumableCapacity {
				state.AllocatedDevices.Insert(id)
				continue
			}
			state.AllocatedSharedDeviceIDs.Insert(structured.MakeSharedDeviceID(id, device.ShareID))
			if device.ConsumedCapacity != nil {
				state.AggregatedCapacity.Insert(structured.NewDeviceConsumedCapacity(id, device.ConsumedCapacity))
			}
		}
	}
	return state
}

// Those of the release, or with -alpha some that are off by default.
var (
	features    = gates.Features
	celFeatures = gates.CEL
)

var cache *cel.Cache

func judge(c testCase, limit time.Duration) (out answer) {
	out.Name = c.Name
	defer func() {
		if p := recover(); p != nil {
			out = answer{Name: c.Name, Outcome: "error", Error: fmt.Sprintf("panic: %v", p)}
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	allocator, err := structured.NewAllocator(ctx, features, gather(c.AllocatedClaims), classes(c.Classes), c.Slices, cache)
	if err != nil {
		out.Outcome, out.Error = "error", err.Error()
		return
	}
	results, err := allocator.Allocate(ctx, &c.Node, c.Claims)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		out.Outcome, out.Error = "budget", err.Error()
	case err != nil:
		out.Outcome, out.Error = "error", err.Error()
	case results == nil:
		out.Outcome = "nofit"
	default:
		out.Outcome = "fit"
		for i, allocation := range results {
			for _, device := range allocation.Devices.Results {
				out.Results = append(out.Results, result{
					Claim: c.Claims[i].Namespace + "/" + c.Claims[i].Name, Request: device.Request,
					Driver: device.Driver, Pool: device.Pool, Device: device.Device})
			}
		}
	}
	return
}

// Up to 1.35 pools are tried in the order of a Go map, which is chance: the same question may have
// several answers. Ends when all of it has taken `limit`.
func judgeRepeatedly(c testCase, limit time.Duration, repeat int) answer {
	start := time.Now()
	first := judge(c, limit)
	seen := []answer{first}
	for i := 1; i < repeat && time.Since(start) < limit; i++ {
		next := judge(c, limit)
		known := slices.ContainsFunc(seen, func(a answer) bool {
			return a.Outcome == next.Outcome && slices.Equal(a.Results, next.Results)
		})
		if known || next.Outcome == "budget" {
			continue
		}
		seen = append(seen, next)
		first.Also = append(first.Also, next)
	}
	return first
}

func main() {
	limit := flag.Duration("limit", 10*time.Second, "time for one case; kube-scheduler has 10s per node")
	repeat := flag.Int("repeat", 1, "how often each case is put")
	alpha := flag.Bool("alpha", false, "with the alpha features that fedra judges where it sees them")
	flag.Parse()
	if *alpha {
		features, celFeatures = gates.WithAlpha(features, celFeatures)
	}
	cache = cel.NewCache(1000, celFeatures)
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for in.Scan() {
		var c testCase
		if err := json.Unmarshal(in.Bytes(), &c); err != nil {
			encoder.Encode(answer{Outcome: "bad-input", Error: err.Error()})
		} else {
			encoder.Encode(judgeRepeatedly(c, *limit, *repeat))
		}
		if len(in.Bytes()) > 0 && in.Err() == nil {
			out.Flush()
		}
	}
}
