// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/extreme_optimizers.h"

namespace cannery::tests {

QMap<QString, const char*> kerasOptimizers()
{
    return {
        {"lion.cannery", R"(linear_classifier { feature_columns: ["x"] n_classes: 3
  optimizer { lion { learning_rate: 0.1 beta_1: 0.9 beta_2: 0.99 } rules: keras weight_decay: 0.01
              exclude_from_weight_decay: "bias" ema_momentum: 0.5 ema_overwrite_frequency: 2 } })"},
        {"adafactor.cannery", R"(linear_classifier { feature_columns: ["x"] n_classes: 3
  optimizer { adafactor { learning_rate: 0.1 beta_2_decay: -0.8 epsilon_1: 0.001 epsilon_2: 0.1
                          clip_threshold: 0.5 relative_step: true } rules: keras } })"},
    };
}

} // namespace cannery::tests
