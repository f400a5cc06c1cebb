// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "storage/io/file_system.h"

#include <functional>
#include <memory>

namespace cannery::storage {

/// Asked where a disk has no room, or the user's quota is used up: waits, and says whether to try
/// again. Called on whichever thread writes.
using RoomWaiter = std::function<bool(const Error& noRoom)>;

/// The actual disk; but what there is no room for goes on where it stopped, as soon as there is
/// room again, unless the waiter says no: then it fails, as it does on realFileSystem(). A failed
/// sync() is never repeated: the system may have dropped what it could not write.
std::unique_ptr<FileSystem> patientFileSystem(RoomWaiter waiter);

} // namespace cannery::storage
