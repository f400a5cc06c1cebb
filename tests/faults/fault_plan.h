// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include <climits>
#include <cstddef>

/// The settings of fault_shim.cpp from the environment, and the calls counted so far. Everything
/// here makes its own system calls, bypassing the shim.
namespace cannery::faults {

/// A variable of the environment; empty if unset.
const char* variable(const char* name);

bool isBelowRoot(const char* path);
/// The absolute path of a name relative to an open folder; otherwise the name itself.
const char* wholePath(int folder, const char* path, char (&whole)[PATH_MAX]);

/// The C library's function that ours replaces.
template <typename Function>
Function next(const char* name)
{
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

/// Whether calls on the descriptor count.
bool isWatched(int descriptor);
void watch(int descriptor, bool on);

enum class Verdict
{
    Go,
    Fail, ///< errno is set
    Kill,
    Tear, ///< killed after half of it
};

/// Counts one call and returns how to treat it; an interrupting signal has already been sent.
Verdict judge(const char* kind, const char* path, int descriptor);
[[noreturn]] void die();
/// How much of a transfer is done at once.
std::size_t part(std::size_t size);

/// Counts one call. True if it must fail, with errno set. `half`: what a torn call does first.
template <typename Half>
bool disturb(const char* kind, const char* path, int descriptor, const Half& half)
{
    const Verdict verdict = judge(kind, path, descriptor);
    if (verdict == Verdict::Tear) {
        half();
    }
    if (verdict == Verdict::Tear || verdict == Verdict::Kill) {
        die();
    }
    return verdict == Verdict::Fail;
}

inline bool disturb(const char* kind, const char* path, int descriptor = -1)
{
    return disturb(kind, path, descriptor, [] {});
}

} // namespace cannery::faults
