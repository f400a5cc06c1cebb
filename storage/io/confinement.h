// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <sys/stat.h>

namespace cannery::storage {

// A project may be somebody else's work: a link in the folder of a run would lead what is read,
// written and deleted there to any other place. Folders that a person names may be links; what lies
// below them is not followed. Every function of this room goes by it, for every path below a folder
// that was confined, however far up it was.

/// From now on no link below this folder is followed by this process. The folder itself may be one.
/// Any thread.
void confine(const std::string& folder);
/// The same, and the folder itself may not be a link.
void confineItself(const std::string& folder);

/// Where a path leads, for the system calls of the ...at() kind. Below a confined folder the folder
/// that holds the name is opened by the system without following links (openat2, or name by name on
/// an older Linux), so nobody can swap it meanwhile.
class Place
{
public:
    explicit Place(const std::string& path);
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place();

    /// False with error() when a folder on the way is missing, or a link.
    bool isFound() const { return m_error == 0; }
    int error() const { return m_error; }
    /// AT_FDCWD for a path that is not confined.
    int folder() const { return m_folder; }
    const char* name() const { return m_name.c_str(); }
    bool isConfined() const { return m_isConfined; }

private:
    void enter(const std::string& root, const std::string& below);

    std::string m_name;
    int m_folder;
    int m_error = 0;
    bool m_isConfined = false;
};

// As the system's calls of these names, errno included; a link is ELOOP in a confined place.

int openConfined(const std::string& path, int flags, mode_t mode = 0666);
int statConfined(const std::string& path, struct stat& status);
/// About a link itself.
int lstatConfined(const std::string& path, struct stat& status);

} // namespace cannery::storage
