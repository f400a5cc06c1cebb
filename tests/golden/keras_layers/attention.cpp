// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/keras_layers/conversions.h"

namespace cannery::tests {

std::span<const ConversionRow> attentionConversions()
{
    return {};
}

} // namespace cannery::tests
