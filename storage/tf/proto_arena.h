// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <google/protobuf/arena.h>

/// Only for the sources of storage/tf.
namespace cannery::storage::detail {

/// A message whose lifetime is that of an arena. Messages read from files are parsed on an arena:
/// if memory runs out in the middle, protobuf's own lists and maps are incomplete, and only an
/// arena frees them without traversing them.
template <typename Message>
Message& onArena(google::protobuf::Arena& arena)
{
    return *google::protobuf::Arena::CreateMessage<Message>(&arena);
}

} // namespace cannery::storage::detail
