#pragma once
//
// PersistentMap: an ordered map whose copies are free and share everything. Set and Erase copy only
// the path to the changed entry, so that publishing a snapshot after one change costs O(log n)
// whatever the size of the cluster.
//
// A treap whose priorities are hashes of the keys: the shape depends on the content only.
//
// Thread rules: a copy is independent; const use of one copy from any thread. Pointers returned by
// Find live as long as any copy that holds the entry.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace fedra::dra {

template <class Key, class Value, class Hash = std::hash<Key>>
class PersistentMap final {
 public:
  const Value* Find(const Key& key) const {
    const Node* node = root_.get();
    while (node) {
      if (key < node->key)
        node = node->left.get();
      else if (node->key < key)
        node = node->right.get();
      else
        return &node->value;
    }
    return nullptr;
  }

  void Set(const Key& key, Value value) {
    if (Find(key) == nullptr) ++size_;
    root_ = Insert(root_, key, std::move(value), Priority(key));
  }

  void Erase(const Key& key) {
    if (Find(key) == nullptr) return;
    root_ = Remove(root_, key);
    --size_;
  }

  // In key order. `visit(key, value)` may return void, or bool: false ends the walk.
  template <class Visit>
  void ForEach(Visit&& visit) const {
    Walk(root_.get(), visit);
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

 private:
  struct Node;
  using Link = std::shared_ptr<const Node>;
  struct Node {
    Key key;
    Value value;
    uint64_t priority;
    Link left, right;
  };

  // Mixed, because std::hash of small integers is the identity.
  static uint64_t Priority(const Key& key) {
    uint64_t x = Hash()(key) + 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    return x ^ (x >> 31);
  }

  static Link With(const Node& node, Link left, Link right) {
    return std::make_shared<const Node>(
        Node{node.key, node.value, node.priority, std::move(left), std::move(right)});
  }

  static Link Insert(const Link& at, const Key& key, Value value, uint64_t priority) {
    if (!at) return std::make_shared<const Node>(Node{key, std::move(value), priority, {}, {}});
    if (key < at->key) {
      Link left = Insert(at->left, key, std::move(value), priority);
      if (left->priority <= at->priority) return With(*at, std::move(left), at->right);
      return With(*left, left->left, With(*at, left->right, at->right));
    }
    if (at->key < key) {
      Link right = Insert(at->right, key, std::move(value), priority);
      if (right->priority <= at->priority) return With(*at, at->left, std::move(right));
      return With(*right, With(*at, at->left, right->left), right->right);
    }
    return std::make_shared<const Node>(
        Node{key, std::move(value), at->priority, at->left, at->right});
  }

  static Link Remove(const Link& at, const Key& key) {
    if (key < at->key) return With(*at, Remove(at->left, key), at->right);
    if (at->key < key) return With(*at, at->left, Remove(at->right, key));
    return Merge(at->left, at->right);
  }

  static Link Merge(const Link& left, const Link& right) {
    if (!left) return right;
    if (!right) return left;
    if (left->priority >= right->priority)
      return With(*left, left->left, Merge(left->right, right));
    return With(*right, Merge(left, right->left), right->right);
  }

  template <class Visit>
  static bool Walk(const Node* node, Visit& visit) {
    if (node == nullptr) return true;
    if (!Walk(node->left.get(), visit)) return false;
    if constexpr (std::is_same_v<decltype(visit(node->key, node->value)), bool>) {
      if (!visit(node->key, node->value)) return false;
    } else {
      visit(node->key, node->value);
    }
    return Walk(node->right.get(), visit);
  }

  Link root_;
  size_t size_ = 0;
};

}  // namespace fedra::dra
