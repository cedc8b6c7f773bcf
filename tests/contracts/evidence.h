// The four kinds of evidence about a model under an owner of its state: ports, numbers, layout, lowering
// path. Each is a check that gives what it found wrong, and each has a fault that it alone can see.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "tests/fixtures/catalogue.h"

namespace tenon::contracts {

enum class Owner { kStateless, kStateful, kGenai, kPaged, kInPlace };
inline constexpr std::array<const char*, 5> kOwnerNames = {"Stateless", "Stateful", "Genai", "Paged",
                                                           "InPlace"};

enum class Kind { kPorts, kNumbers, kLayout, kLowering };
inline constexpr std::array<const char*, 4> kKindNames = {"ports", "numbers", "layout", "lowering path"};

// The fault of a kind, put into the conversion:
//   kPorts     an input that nothing reads is left over
//   kNumbers   the last layer's scores are halved
//   kLayout    the halves of each head of queries and keys trade places: scores stay, cached rows do not
//   kLowering  attention is taken apart, or where it has no other form (paged) computed twice
inline constexpr int kNoFault = -1;

// One model under one owner, with at most one fault in.
class Subject {
 public:
  // `fixture` has caches in all layers and F32 weights; `fault` is a Kind or kNoFault.
  Subject(const fixtures::Fixture& fixture, Owner owner, int fault);
  ~Subject();

  // What the kind's check finds wrong, line by line; empty when all holds. `runtime` is one of
  // conform::runtimes(), of kNumbers and kLayout.
  std::string check(Kind kind, const std::string& runtime) const;

 private:
  struct Parts;
  std::string ports() const;
  std::string numbers(const std::string& runtime) const;
  std::string layout(const std::string& runtime) const;
  std::string lowering() const;

  std::unique_ptr<const Parts> parts_;
};

}  // namespace tenon::contracts
