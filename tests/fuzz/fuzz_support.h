// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// Aborts the process if a guarantee of the product is violated: the fuzzer keeps the input.
#define FUZZ_REQUIRE(condition)                                                                    \
    do {                                                                                           \
        if (!(condition)) [[unlikely]] {                                                           \
            ::cannery::tests::promiseBroken(#condition, __FILE__, __LINE__);                       \
        }                                                                                          \
    } while (false)

namespace cannery::tests {

[[noreturn]] void promiseBroken(const char* condition, const char* file, int line);

/// A file in memory that a reader can open by its path; rewritten for every input.
class FuzzFile
{
public:
    FuzzFile();
    FuzzFile(const FuzzFile&) = delete;
    FuzzFile& operator=(const FuzzFile&) = delete;
    ~FuzzFile();

    /// Makes these bytes its content.
    const std::string& with(std::string_view bytes);

private:
    int m_descriptor;
    std::string m_path;
};

/// An empty folder in memory (if the system has one) that is deleted with the object.
class FuzzFolder
{
public:
    FuzzFolder();
    FuzzFolder(const FuzzFolder&) = delete;
    FuzzFolder& operator=(const FuzzFolder&) = delete;
    ~FuzzFolder();

    const std::string& path() const { return m_path; }
    void makeFolder(const std::string& name) const;
    /// Writes a file of this folder.
    void write(const std::string& name, std::string_view bytes) const;

private:
    std::string m_path;
};

/// Takes a part off the front: two bytes give its length; the rest if there is no more.
std::string_view takePart(std::string_view& bytes);
/// Takes one byte off the front, 0 at the end.
std::uint8_t takeByte(std::string_view& bytes);

} // namespace cannery::tests
