// What a backend can run, as rows: a pattern, the conditions under which its kernel takes the match, and how
// the step is laid out. All conditions of a fusion stand in its row; a target fuses only what it has rows
// for.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/plan/pattern.h"

namespace tenon::plan {

struct Step;

// How many new tokens a step list is for; inclusive.
struct TokenRange {
  int64_t min = 1;
  int64_t max = INT64_MAX;
  bool contains(const TokenRange& other) const { return min <= other.min && other.max <= max; }
};

// The largest run that a step list serves, for sizes that must be known ahead.
struct Limits {
  SymbolBounds symbols;  // of the step list's class
  int workers = 1;
  int64_t largest(const Dim& extent) const { return extent.bounds(symbols).max; }
};

// A table that is made once per run from some operands of a match and shared by every step that needs the
// same one.
struct SharedTable {
  std::string_view id;  // the kernel that makes it
  // Which operands of the match it is made from; those that are absent are left out.
  std::vector<int> operands;
  // Its type: f32, extents may use the operands' symbols.
  TensorType (*type)(const Match&) = nullptr;
};

struct TargetRow {
  std::string_view id;       // the kernel's name; a backend turns it into a function once
  std::string_view pattern;  // see pattern.h
  // Why this match is not for this kernel, or "" when it is. Null takes every match.
  std::string (*refuse)(const Match&) = nullptr;
  TokenRange tokens = {};
  // The step writes its first output into this operand's own memory; -1: no.
  int in_place_operand = -1;
  // Steps of one group that read the same first operand and otherwise constants become one step of many
  // parts.
  std::string_view group = "";
  std::function<size_t(const Match&, const Limits&)> scratch_bytes = nullptr;
  const SharedTable* shared = nullptr;
  // The id of a row whose step this one's can do by itself on the way to its first operand (prologue.h), and
  // which of this row's steps do; null: all.
  std::string_view prologue = "";
  bool (*takes_prologue)(const Step&) = nullptr;
  // The form in memory of the constants among its operands; "file" are the file's own bytes, as which views
  // of constants are always read.
  std::string_view weight_layout = "file";
};

struct Target {
  std::string_view name;
  std::vector<TargetRow> rows;  // tried in order: larger patterns first
  // Copies elements in order where strides cannot regroup them, and values to results; where it is not given,
  // the row of "*" does.
  std::optional<TargetRow> copy = {};
};

}  // namespace tenon::plan
