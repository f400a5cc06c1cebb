// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include <climits>
#include <cstddef>

/// What fault_shim.cpp is told by the environment, and the calls counted so far. Everything here
/// makes its own system calls, past what the shim puts before the C library.
namespace cannery::faults {

/// A variable of the environment; empty when there is none.
const char* variable(const char* name);

bool isBelowRoot(const char* path);
/// The whole path of a name beside a folder that is open; the name itself otherwise.
const char* wholePath(int folder, const char* path, char (&whole)[PATH_MAX]);

/// The function of the C library that ours stands before.
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

/// Counts one call and says what becomes of it; an interrupting signal has come already.
Verdict judge(const char* kind, const char* path, int descriptor);
[[noreturn]] void die();
/// How much of a transfer is done at once.
std::size_t part(std::size_t size);

/// Counts one call. True when it must fail; errno is set then. `half`: what a torn call does first.
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
