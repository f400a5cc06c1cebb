// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/schema_readings_parts.h"

namespace cannery::tests {

/// Layers that merge and normalize.
std::vector<SchemaReading> readingsOfMerging()
{
    const char* const experiment = "merging.cannery";
    const std::string layer = "estimator.custom_estimator.graph.layer";
    const std::string batch = layer + "[batch].batch_normalization";
    const std::string row = layer + "[row].layer_normalization";
    const std::string groups = layer + "[groups].group_normalization";
    return {
        {experiment, {}, layer + "[known].normalization.mean=[0.4]"},
        {experiment, {}, layer + "[known].normalization.variance=[3]"},
        {experiment, {}, layer + "[known].normalization.invert=true"},
        {experiment, {}, layer + "[known].normalization={}"},
        {experiment, {}, layer + "[known].rescaling={}"},
        {experiment, {}, layer + "[scaled].rescaling.scale=1"},
        {experiment, {}, layer + "[scaled].rescaling.offset=0"},
        {experiment, {}, batch + ".axis=-1"},
        {experiment, {}, batch + ".center=false"},
        {experiment, {}, batch + ".scale=false"},
        {experiment, {}, row + ".axis=[3]"},
        {experiment, {}, row + ".center=false"},
        {experiment, {}, row + ".scale=false"},
        {experiment, {}, layer + "[row].layer_normalization={}"},
        {experiment, {}, groups + ".groups=4"},
        {experiment, {}, groups + ".groups=32", "layers.channel_groups"},
        {experiment, {}, groups + ".center=false"},
        {experiment, {}, groups + ".scale=false"},
        {experiment, {}, layer + "[groups].unit_normalization={}"},
        {experiment, {}, layer + "[unit].unit_normalization.axis=[1, 3]"},
        {experiment, {}, layer + "[difference].average={}"},
        {experiment, {}, layer + "[mean].subtract={}"},
        {experiment, {}, layer + "[largest].minimum={}"},
        {experiment, {}, layer + "[smallest].maximum={}"},
        {experiment,
         {layer + "[left].reshape.target_shape=[2, 24]",
          layer + "[right].reshape.target_shape=[1, 24]"},
         layer + "[beside].concatenate.axis=-1"},
        {experiment,
         {layer + "[left].reshape.target_shape=[3, 4, 4]"},
         layer + "[products].dot.axes=[3, 2]"},
        {experiment, {}, layer + "[products].dot.normalize=false"},
        {experiment, {}, layer + "[mean].dot={ axes: [3, 3] }", "layers.concatenate_shapes"},
    };
}

} // namespace cannery::tests
