// SPDX-License-Identifier: Apache-2.0
#include "core/base/memory_guard.h"

namespace cannery {

namespace {

constexpr ErrorKind kNoMemory{
    kNoMemoryId, "There is not enough memory to read {}. Close other programs, raise the limit of "
                 "this process, or read it on a machine with more memory."};
/// Short enough, like the id, for std::string's small buffer.
constexpr const char* kShortSentence = "Out of memory.";

} // namespace

Error detail::noMemoryError(std::string_view what) noexcept
{
    try {
        return error(ErrorCode::ResourceExhausted, kNoMemory, what);
    } catch (...) {
        Error bare;
        bare.code = ErrorCode::ResourceExhausted;
        bare.id = kNoMemoryId;
        bare.sentence = kShortSentence;
        return bare;
    }
}

} // namespace cannery
