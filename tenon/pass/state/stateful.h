#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "tenon/ir/pass_manager.h"

namespace tenon::pass {

struct StatefulOptions {
  std::set<std::string> skip_caches = {};  // stay inputs and outputs; each must be a cache of the model
  int64_t append_axis = -1;                // -1: the only dynamic axis of each cache
  bool dynamic_batch = false;          // sequences come and go: a step may have another number than the last
  std::string beam_name = "beam_idx";  // of the input that reorders the batch
};

// Caches and recurrent states as variables that the model owns:
//
//   Constant [1,0,G,D] ─ ReadValue ─ Gather(beam_idx, axis 0) ─ Concat(rows, append axis) ┬ Assign
//                                                                                         └ readers
//
// of every SetRows whose destination is an input of the model; the input and the Results of the written cache
// go. Other readers of the input get the gathered past. A recurrent state is ReadValue(zeros) … Assign. An
// input that lost its last reader (the row index) stays, marked unused. A SetRows behind another op, and a
// cache that a ScatterUpdate writes already, are left alone, with the reason.
//
// All caches are checked before the first is rewritten, so that an error leaves the model as it was. Errors
// name the cache, its type and the remedy: a cache that does not append (it drops the row index, so that only
// appending is right), no or several dynamic axes to choose from, an append axis that is out of range or not
// the position axis, another dynamic axis, two writes, a name to skip that no cache bears, an input named
// like the beam index that is not i32 of rank 1, a recurrent state that is not static or has no next value.
ir::Pass make_stateful(StatefulOptions options = {});

}  // namespace tenon::pass
