// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <sys/stat.h>

namespace cannery::storage {

// A project may come from someone else: a link in a run's folder could redirect what is read,
// written and deleted there to any other place. Folders named by the user may be links; links below
// them are not followed. Every function of storage/io respects this, for every path below a
// confined folder at any depth.

/// From now on this process follows no link below this folder. The folder itself may be one. Any
/// thread.
void confine(const std::string& folder);
/// The same, and the folder itself must not be a link.
void confineItself(const std::string& folder);

/// Resolves a path for the ...at() system calls. Below a confined folder, the system opens the
/// folder containing the name without following links (openat2, or name by name on an older Linux),
/// so it cannot be swapped meanwhile.
class Place
{
public:
    explicit Place(const std::string& path);
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place();

    /// False, with error(), if a folder on the path is missing or is a link.
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

// Like the system calls of these names, including errno; a link in a confined place is ELOOP.

int openConfined(const std::string& path, int flags, mode_t mode = 0666);
int statConfined(const std::string& path, struct stat& status);
/// About the link itself.
int lstatConfined(const std::string& path, struct stat& status);

} // namespace cannery::storage
