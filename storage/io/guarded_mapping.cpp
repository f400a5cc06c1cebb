// SPDX-License-Identifier: Apache-2.0
#include "storage/io/guarded_mapping.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <new>
#include <utility>

namespace cannery::storage {

/// What the signal handler reads of a mapping, without a lock.
struct GuardedMapping::Guard
{
    std::atomic<std::uintptr_t> begin = 0; ///< 0 if it is free
    std::atomic<std::uintptr_t> end = 0;
    std::atomic<bool> isDamaged = false;
};

namespace {

std::atomic<bool> anyDamaged = false;

} // namespace

/// All guards of the process, in blocks that are never freed.
struct GuardedMapping::Guards
{
    static constexpr std::size_t kOfBlock = 512;
    struct Block
    {
        std::array<Guard, kOfBlock> guards;
        std::atomic<Block*> next = nullptr;
    };

    static Block first;
    static std::mutex mutex; ///< for acquiring and releasing
    static struct sigaction before;

    static Guard* take(std::uintptr_t begin, std::size_t size);
    static bool mend(std::uintptr_t address);
    static void onBusError(int signal, siginfo_t* information, void* context);
    static void install();
};

GuardedMapping::Guards::Block GuardedMapping::Guards::first;
std::mutex GuardedMapping::Guards::mutex;
struct sigaction GuardedMapping::Guards::before;

GuardedMapping::Guard* GuardedMapping::Guards::take(std::uintptr_t begin, std::size_t size)
{
    const std::lock_guard lock(mutex);
    static const bool kIsInstalled = (install(), true);
    static_cast<void>(kIsInstalled);
    for (Block* block = &first;; block = block->next) {
        for (Guard& guard : block->guards) {
            if (guard.begin == 0) {
                // The beginning last: with it, the signal handler takes the guard for a used one.
                guard.isDamaged = false;
                guard.end = begin + size;
                guard.begin = begin;
                return &guard;
            }
        }
        if (block->next == nullptr) {
            block->next = new (std::nothrow) Block;
            if (block->next == nullptr) {
                return nullptr;
            }
        }
    }
}

/// Replaces a page that cannot be loaded with zeros. Async-signal-safe.
bool GuardedMapping::Guards::mend(std::uintptr_t address)
{
    for (Block* block = &first; block != nullptr; block = block->next) {
        for (Guard& guard : block->guards) {
            const std::uintptr_t begin = guard.begin;
            if (begin == 0 || address < begin || address >= guard.end) {
                continue;
            }
            const auto pageSize = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
            void* page = reinterpret_cast<void*>(address / pageSize * pageSize);
            guard.isDamaged = true;
            anyDamaged = true;
            return ::mmap(page, pageSize, PROT_READ | PROT_WRITE,
                          MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
        }
    }
    return false;
}

void GuardedMapping::Guards::onBusError(int signal, siginfo_t* information, void*)
{
    const int systemError = errno;
    const bool isFault = information->si_code > 0; // not sent by another process
    if (!isFault || !mend(reinterpret_cast<std::uintptr_t>(information->si_addr))) {
        // Not ours: restores the previous behaviour. A fault recurs by itself.
        ::sigaction(signal, &before, nullptr);
        if (!isFault) {
            ::raise(signal);
        }
    }
    errno = systemError;
}

void GuardedMapping::Guards::install()
{
    struct sigaction action = {};
    action.sa_sigaction = onBusError;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &before);
}

std::optional<GuardedMapping> GuardedMapping::map(int descriptor, std::uint64_t offset,
                                                  std::size_t size, Access access)
{
    const int protection = access == Access::Read ? PROT_READ : PROT_READ | PROT_WRITE;
    void* begin =
        ::mmap(nullptr, size, protection, MAP_SHARED, descriptor, static_cast<off_t>(offset));
    if (begin == MAP_FAILED) {
        return std::nullopt;
    }
    Guard* guard = Guards::take(reinterpret_cast<std::uintptr_t>(begin), size);
    if (guard == nullptr) {
        ::munmap(begin, size);
        return std::nullopt;
    }
    return GuardedMapping(static_cast<std::byte*>(begin), size, *guard);
}

GuardedMapping::GuardedMapping(GuardedMapping&& other) noexcept
    : m_begin(std::exchange(other.m_begin, nullptr)), m_size(std::exchange(other.m_size, 0)),
      m_guard(std::exchange(other.m_guard, nullptr))
{}

GuardedMapping& GuardedMapping::operator=(GuardedMapping&& other) noexcept
{
    std::swap(m_begin, other.m_begin);
    std::swap(m_size, other.m_size);
    std::swap(m_guard, other.m_guard);
    return *this;
}

GuardedMapping::~GuardedMapping()
{
    if (m_guard != nullptr) {
        const std::lock_guard lock(Guards::mutex);
        m_guard->begin = 0;
        ::munmap(m_begin, m_size);
    }
}

bool GuardedMapping::isDamaged() const
{
    return m_guard->isDamaged;
}

bool GuardedMapping::isAnyDamaged()
{
    return anyDamaged;
}

} // namespace cannery::storage
