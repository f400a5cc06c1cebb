// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"
#include "core/layers/windows/image_window.h"

namespace cannery::layers {

/// The nodes around TensorFlow's operations over images, which have four dimensions: a sequence
/// becomes an image of height 1 and back, as Keras does (ExpandDims, Squeeze), and zeros come
/// before a causal one (Pad).
class WindowEmission
{
public:
    /// Of the layer's first input. The context must outlive it.
    WindowEmission(const EmitContext& context, const WindowOptions& options);

    const ImageWindow& window() const { return m_window; }
    /// The input as images; adds its nodes.
    storage::NodeRef images() const;
    /// The value of a kernel, with the height that images have.
    storage::NodeRef kernel(const storage::GraphVariable& kernel) const;
    /// Sums over windows, without bias.
    storage::NodeRef convolution(const storage::NodeRef& images,
                                 const storage::NodeRef& kernel) const;
    storage::NodeRef depthwise(const storage::NodeRef& images,
                               const storage::NodeRef& kernel) const;
    /// The adjoint of a convolution with this window, which moves over the larger images that it
    /// makes, of so many channels.
    storage::NodeRef transposed(const ImageWindow& window, std::int64_t filters,
                                const storage::NodeRef& images,
                                const storage::NodeRef& kernel) const;
    /// Images as rows of the shape that the layer's output has.
    storage::NodeRef rows(const storage::NodeRef& images) const;

private:
    storage::NodeRef expanded(const storage::NodeRef& value, std::int32_t axis) const;

    const EmitContext& m_context;
    WindowOptions m_options;
    ImageWindow m_window;
};

} // namespace cannery::layers
