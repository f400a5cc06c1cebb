// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <google/protobuf/arena.h>

/// Only for the sources of storage/tf.
namespace cannery::storage::detail {

/// A message that lives and dies with an arena. What is read from files is parsed on one: when
/// memory runs out in the middle, protobuf's own lists and maps are half made, and only an arena
/// gives them back without looking into them.
template <typename Message>
Message& onArena(google::protobuf::Arena& arena)
{
    return *google::protobuf::Arena::CreateMessage<Message>(&arena);
}

} // namespace cannery::storage::detail
