// The arbiter: runs every op by its reference. Slow and obvious.
#pragma once

#include "tenon/runtime/backend.h"

namespace tenon::ref {

std::shared_ptr<runtime::Backend> make_backend();

}  // namespace tenon::ref
