#pragma once
//
// What kube-controller-manager's garbage collector and namespace controller do: objects whose
// owners are all gone are deleted, foreground and orphaning deletions are carried out, terminating
// namespaces are emptied.
//
// Thread rules and lifetime: see actor.h.

#include "tests/sim/actors/actor.h"

namespace fedra::sim {

class GarbageCollector final : public Actor {
 public:
  explicit GarbageCollector(Core& core) : Actor(core) { Begin(); }
  ~GarbageCollector() override { End(); }

 private:
  void Reconcile(Store& store, const Place& place) override;
  void Notice(const Store& store, const ResourceType& type, const Event& event) override;

  void Delete(Store& store, const Place& place, const char* propagation);
  void Orphan(Store& store, const Place& place, Object& object);
  void DeleteForeground(Store& store, const Place& place, Object& object);
  void EmptyNamespace(Store& store, const Place& place, Object& object);
};

}  // namespace fedra::sim
