// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/onednn/library.h"

/// What every use of the library needs.
namespace cannery::kernels::onednn {

/// While it exists, the library starts no threads for the calling one.
class OneThread
{
public:
    OneThread();
    ~OneThread();
    OneThread(const OneThread&) = delete;
    OneThread& operator=(const OneThread&) = delete;

private:
    int m_before;
};

/// Null if the library cannot be used.
dnnl_engine_t engine();

/// Of a primitive whose working memory is an argument: the library's own would be allocated in each
/// call. Null if memory is short.
Attributes attributesWithCallersMemory();

/// Whether a primitive can be made: the library does not look whether it got memory for the code
/// that it compiles (`ulimit -v`), and crashes without.
bool hasRoomForCode();

/// An argument without memory yet; null if memory is short.
Memory memoryOf(const Layout& layout);

/// Sets where an argument is; false if the library refuses.
bool pointTo(const Memory& memory, const float* data);

} // namespace cannery::kernels::onednn
