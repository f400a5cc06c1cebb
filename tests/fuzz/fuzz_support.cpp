// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzz_support.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace cannery::tests {

namespace fs = std::filesystem;

void promiseBroken(const char* condition, const char* file, int line)
{
    std::fprintf(stderr, "%s:%d: not so: %s\n", file, line, condition);
    std::abort();
}

FuzzFile::FuzzFile()
    : m_descriptor(::memfd_create("fuzz", MFD_CLOEXEC)),
      m_path("/proc/self/fd/" + std::to_string(m_descriptor))
{
    FUZZ_REQUIRE(m_descriptor >= 0);
}

FuzzFile::~FuzzFile()
{
    ::close(m_descriptor);
}

const std::string& FuzzFile::with(std::string_view bytes)
{
    FUZZ_REQUIRE(::ftruncate(m_descriptor, 0) == 0);
    FUZZ_REQUIRE(::pwrite(m_descriptor, bytes.data(), bytes.size(), 0) ==
                 static_cast<ssize_t>(bytes.size()));
    return m_path;
}

FuzzFolder::FuzzFolder()
{
    const fs::path memory = "/dev/shm";
    std::error_code code;
    const bool hasMemory = ::access(memory.c_str(), W_OK) == 0;
    m_path =
        ((hasMemory ? memory : fs::temp_directory_path(code)) / "cannery_fuzz_XXXXXX").native();
    FUZZ_REQUIRE(::mkdtemp(m_path.data()) != nullptr);
}

FuzzFolder::~FuzzFolder()
{
    std::error_code code;
    fs::remove_all(m_path, code);
}

void FuzzFolder::makeFolder(const std::string& name) const
{
    fs::create_directories(fs::path(m_path) / name);
}

void FuzzFolder::write(const std::string& name, std::string_view bytes) const
{
    std::ofstream file(fs::path(m_path) / name, std::ios::binary | std::ios::trunc);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    FUZZ_REQUIRE(file.good());
}

std::string_view takePart(std::string_view& bytes)
{
    const std::size_t low = takeByte(bytes);
    const std::size_t high = takeByte(bytes);
    const std::size_t length = std::min(low + 256 * high, bytes.size());
    const std::string_view part = bytes.substr(0, length);
    bytes.remove_prefix(length);
    return part;
}

std::uint8_t takeByte(std::string_view& bytes)
{
    if (bytes.empty()) {
        return 0;
    }
    const auto byte = static_cast<std::uint8_t>(bytes.front());
    bytes.remove_prefix(1);
    return byte;
}

} // namespace cannery::tests
