// fedra as an implementation of the interface that Kubernetes' own allocator tests are written for.
//
// tests/real/agree_suite.py shows this file to Go as one of the package structured of
// k8s.io/dynamic-resource-allocation (-overlay), because the tests are internal to that module.
//
// Outcome and devices are fedra's (judge-lines). What fedra does not say of a device, its
// configuration, the node selector, the consumed capacity, is taken from the library's answer, if
// that has the same devices. So is the text of an error where both end with one, and the number of
// steps, which is about the library's search.
package structured

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured/internal"
	"k8s.io/dynamic-resource-allocation/structured/internal/allocatortesting"
)

// Up to 1.35 the library tries pools in the order of a Go map. Of four pools, which are most in a
// case, one of the 24 orders is missed once in 5,000 times.
const repeat = 200

// What agree_suite.py looks for in the output of a test.
const (
	leftOutMark = "fedra: left out: "
	gatesMark   = "fedra: gates: "
	answerMark  = "fedra: "
)

// One case: what is the same for all nodes.
type adapter struct {
	internal.Allocator // of the library
	judge              *judge
	again              func() (internal.Allocator, error) // the library's, made anew
	question           map[string]any
}

func (a *adapter) GetStats() internal.Stats {
	return a.Allocator.(internal.AllocatorExtended).GetStats()
}

func (a *adapter) Allocate(ctx context.Context, node *v1.Node, claims []*resourceapi.ResourceClaim) ([]resourceapi.AllocationResult, error) {
	results, err := a.Allocator.Allocate(ctx, node, claims)
	if ctx.Err() != nil {
		fmt.Println(leftOutMark + "fedra has no context that could end")
		return results, err
	}
	claims = inNamespace(claims)
	a.question["node"], a.question["claims"] = node, claims
	ours, failed := a.judge.ask(a.question)
	if failed != nil {
		return nil, failed
	}
	first := asAnswer(claims, results, err)
	theirs := first
	for i := 0; i < repeat && !ours.equal(theirs); i++ {
		library, failed := a.again()
		if failed != nil {
			return nil, failed
		}
		results, err = library.Allocate(ctx, node, claims)
		theirs = asAnswer(claims, results, err)
	}
	if ours.equal(theirs) {
		return results, err
	}
	a.show(ours, first)
	return ours.undressed(claims)
}

// As every claim that a server has stored.
func inNamespace(claims []*resourceapi.ResourceClaim) []*resourceapi.ResourceClaim {
	var stored []*resourceapi.ResourceClaim
	for _, claim := range claims {
		claim = claim.DeepCopy()
		claim.Namespace = "default"
		stored = append(stored, claim)
	}
	return stored
}

func (a *adapter) show(ours, theirs answer) {
	for _, part := range []struct {
		name  string
		value any
	}{{"asked", a.question}, {"library", theirs}, {"fedra", ours}} {
		text, _ := json.Marshal(part.value)
		fmt.Println(answerMark + part.name + " " + string(text))
	}
}

func asAnswer(claims []*resourceapi.ResourceClaim, results []resourceapi.AllocationResult, err error) answer {
	if err != nil {
		return answer{Outcome: "error", Error: err.Error()}
	}
	// Of no claims there are no results, as there are of claims that do not fit.
	if results == nil && len(claims) > 0 {
		return answer{Outcome: "nofit"}
	}
	a := answer{Outcome: "fit"}
	for i, allocation := range results {
		for _, device := range allocation.Devices.Results {
			a.Results = append(a.Results, map[string]string{
				"claim": claims[i].Namespace + "/" + claims[i].Name, "request": device.Request,
				"driver": device.Driver, "pool": device.Pool, "device": device.Device})
		}
	}
	return a
}

// For the test to judge what the library never answers.
func (a answer) undressed(claims []*resourceapi.ResourceClaim) ([]resourceapi.AllocationResult, error) {
	switch a.Outcome {
	case "nofit":
		return nil, nil
	case "fit":
		results := make([]resourceapi.AllocationResult, len(claims))
		for i, claim := range claims {
			for _, r := range a.Results {
				if r["claim"] == claim.Namespace+"/"+claim.Name {
					results[i].Devices.Results = append(results[i].Devices.Results, resourceapi.DeviceRequestAllocationResult{
						Request: r["request"], Driver: r["driver"], Pool: r["pool"], Device: r["device"]})
				}
			}
		}
		return results, nil
	}
	return nil, errors.New("fedra: " + a.Outcome + ": " + a.Error)
}

// The claims from which a scheduler would have gathered that state: one for each device or share.
func allocatedClaims(state AllocatedState) []*resourceapi.ResourceClaim {
	var claims []*resourceapi.ResourceClaim
	add := func(id DeviceID, shareID *types.UID, consumed internal.ConsumedCapacity) {
		result := resourceapi.DeviceRequestAllocationResult{
			Request: "request", Driver: id.Driver.String(), Pool: id.Pool.String(), Device: id.Device.String(), ShareID: shareID}
		for name, quantity := range consumed {
			if result.ConsumedCapacity == nil {
				result.ConsumedCapacity = make(map[resourceapi.QualifiedName]resource.Quantity)
			}
			result.ConsumedCapacity[name] = *quantity
		}
		claim := &resourceapi.ResourceClaim{}
		claim.Namespace, claim.Name = "others", fmt.Sprintf("claim-%d", len(claims))
		claim.UID = types.UID(claim.Name)
		claim.Status.Allocation = &resourceapi.AllocationResult{}
		claim.Status.Allocation.Devices.Results = append(claim.Status.Allocation.Devices.Results, result)
		claims = append(claims, claim)
	}
	for id := range state.AllocatedDevices {
		add(id, nil, nil)
	}
	// A device's consumption is known in sum only: all of it goes to its first share.
	rest := state.AggregatedCapacity.Clone()
	for shared := range state.AllocatedSharedDeviceIDs {
		id := DeviceID{Driver: shared.Driver, Pool: shared.Pool, Device: shared.Device}
		shareID := types.UID(shared.ShareID.String())
		add(id, &shareID, rest[id])
		delete(rest, id)
	}
	// Some cases have a consumption without a share.
	for id, consumed := range rest {
		shareID := types.UID("share")
		add(id, &shareID, consumed)
	}
	return claims
}

// Some cases have two slices of one name, which no cluster has. The second one's new name comes after
// the first one's, and before all that came after it.
func inCluster(slices []*resourceapi.ResourceSlice) []*resourceapi.ResourceSlice {
	var stored []*resourceapi.ResourceSlice
	seen := sets.New[string]()
	for _, slice := range slices {
		slice = slice.DeepCopy()
		for seen.Has(slice.Name) {
			slice.Name += "-again"
		}
		seen.Insert(slice.Name)
		stored = append(stored, slice)
	}
	return stored
}

// "DRADeviceBindingConditions+DRAResourceClaimDeviceStatus" is two.
func gates(features Features) []string {
	return strings.FieldsFunc(strings.Join(sets.List(features.Set()), "+"), func(r rune) bool { return r == '+' })
}

// The variants that a scheduler of the release takes. The stable one would be for fewer features
// than are on by default since 1.34, where device status is one that only the experimental has.
func withoutUnusedVariants(kubernetes string) {
	unused := 1
	if strings.HasPrefix(kubernetes, "v1.34.") {
		unused = 2
	}
	availableAllocators = availableAllocators[unused:]
}

type newAllocator = func(context.Context, Features, AllocatedState, DeviceClassLister, []*resourceapi.ResourceSlice, *cel.Cache) (internal.Allocator, error)

func runSuite(t *testing.T, suite func(*testing.T, Features, newAllocator)) {
	judge := startJudge(t)
	suite(t, internal.FeaturesAll, func(
		ctx context.Context,
		features Features,
		allocatedState AllocatedState,
		classLister DeviceClassLister,
		slices []*resourceapi.ResourceSlice,
		celCache *cel.Cache,
	) (internal.Allocator, error) {
		classes, err := classLister.List()
		if err != nil {
			return nil, err
		}
		again := func() (internal.Allocator, error) {
			library, err := NewAllocator(ctx, features, allocatedState, classLister, slices, celCache)
			if err != nil {
				return nil, err
			}
			return library.(internal.Allocator), nil
		}
		library, err := again()
		if err != nil {
			return nil, err
		}
		on := gates(features)
		fmt.Println(gatesMark + strings.Join(on, " "))
		question := map[string]any{
			"k8s": judge.kubernetes, "gates": on, "classes": classes, "slices": inCluster(slices),
			"allocatedClaims": allocatedClaims(allocatedState)}
		return &adapter{Allocator: library, judge: judge, again: again, question: question}, nil
	})
}

func TestMain(m *testing.M) {
	withoutUnusedVariants(os.Getenv("FEDRA_KUBERNETES"))
	os.Exit(m.Run())
}

func TestFedra(t *testing.T) {
	runSuite(t, allocatortesting.TestAllocator)
}
