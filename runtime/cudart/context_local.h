// SPDX-License-Identifier: MIT
// Context-local storage: values that libraries attach to contexts, reached through an export table.
#pragma once

#include "../api/objects.h"

namespace ptxshim::api {

using LocalDestructor = void (*)(CUcontext context, void* key, void* value);

CUresult local_put(CUcontext context, void* key, void* value, LocalDestructor destructor) noexcept;
CUresult local_delete(CUcontext context, void* key) noexcept;
CUresult local_get(void** value, CUcontext context, void* key) noexcept;

// Destroys all values of a context, in no particular order; destructors may use the API.
void run_local_destructors(Context& context);

} // namespace ptxshim::api
