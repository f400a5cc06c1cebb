// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <oneapi/dnnl/dnnl.h>

#include <cstddef>
#include <cstdint>
#include <memory>

/// For the sources of this room that call the library: objects of oneDNN's C interface that destroy
/// themselves, and all that differs between its versions 2 and 3.
namespace cannery::kernels::onednn {

template <typename Object, dnnl_status_t (*Destroy)(Object*)>
struct Destroyer
{
    void operator()(Object* object) const { Destroy(object); }
};
template <typename Object, dnnl_status_t (*Destroy)(Object*)>
using Owned = std::unique_ptr<Object, Destroyer<Object, Destroy>>;

using Engine = Owned<dnnl_engine, dnnl_engine_destroy>;
using Stream = Owned<dnnl_stream, dnnl_stream_destroy>;
using Attributes = Owned<dnnl_primitive_attr, dnnl_primitive_attr_destroy>;
using PostOperations = Owned<dnnl_post_ops, dnnl_post_ops_destroy>;
using Description = Owned<dnnl_primitive_desc, dnnl_primitive_desc_destroy>;
using Primitive = Owned<dnnl_primitive, dnnl_primitive_destroy>;
using Memory = Owned<dnnl_memory, dnnl_memory_destroy>;

/// An object that a function of the C interface makes; null if it fails.
template <typename Owner, typename Function, typename... Arguments>
Owner made(Function create, Arguments... arguments)
{
    typename Owner::pointer object = nullptr;
    return create(&object, arguments...) == dnnl_success ? Owner(object) : Owner();
}

/// Where the numbers of an array are: a memory descriptor, which is a struct in version 2 and an
/// object of the library in version 3.
class Layout
{
public:
    Layout() = default;
    /// Not known if the library refuses it. `axes` sizes, and floats from an index to the next.
    static Layout ofArray(int axes, const dnnl_dims_t sizes, const dnnl_dims_t steps);
    static Layout ofMatrix(std::int64_t rows, std::int64_t cols, std::int64_t rowStep,
                           std::int64_t colStep);
    /// Which one, the primitive says that is described with it.
    static Layout ofAnyKind(int axes, const dnnl_dims_t sizes);
    /// Of an argument of a primitive; not known if it has none.
    static Layout ofArgument(const_dnnl_primitive_desc_t description, dnnl_query_t argument);
    /// What a primitive of this description needs besides its arguments.
    static Layout ofScratch(const_dnnl_primitive_desc_t description)
    {
        return ofArgument(description, dnnl_query_scratchpad_md);
    }

#if DNNL_VERSION_MAJOR >= 3
    bool isKnown() const
    {
        return m_descriptor != nullptr;
    }
    const_dnnl_memory_desc_t get() const
    {
        return m_descriptor.get();
    }
#else
    bool isKnown() const
    {
        return m_isKnown;
    }
    const dnnl_memory_desc_t* get() const
    {
        return &m_descriptor;
    }
#endif
    /// Only if it is known.
    std::size_t bytes() const
    {
        return dnnl_memory_desc_get_size(get());
    }

private:
#if DNNL_VERSION_MAJOR >= 3
    Owned<dnnl_memory_desc, dnnl_memory_desc_destroy> m_descriptor;
#else
    dnnl_memory_desc_t m_descriptor{};
    bool m_isKnown = false;
#endif
};

inline Layout Layout::ofArray(int axes, const dnnl_dims_t sizes, const dnnl_dims_t steps)
{
    Layout layout;
#if DNNL_VERSION_MAJOR >= 3
    dnnl_memory_desc_t descriptor = nullptr;
    if (dnnl_memory_desc_create_with_strides(&descriptor, axes, sizes, dnnl_f32, steps) ==
        dnnl_success) {
        layout.m_descriptor.reset(descriptor);
    }
#else
    layout.m_isKnown = dnnl_memory_desc_init_by_strides(&layout.m_descriptor, axes, sizes, dnnl_f32,
                                                        steps) == dnnl_success;
#endif
    return layout;
}

inline Layout Layout::ofMatrix(std::int64_t rows, std::int64_t cols, std::int64_t rowStep,
                               std::int64_t colStep)
{
    const dnnl_dims_t sizes = {rows, cols};
    const dnnl_dims_t steps = {rowStep, colStep};
    return ofArray(2, sizes, steps);
}

inline Layout Layout::ofAnyKind(int axes, const dnnl_dims_t sizes)
{
    Layout layout;
#if DNNL_VERSION_MAJOR >= 3
    dnnl_memory_desc_t descriptor = nullptr;
    if (dnnl_memory_desc_create_with_tag(&descriptor, axes, sizes, dnnl_f32, dnnl_format_tag_any) ==
        dnnl_success) {
        layout.m_descriptor.reset(descriptor);
    }
#else
    layout.m_isKnown = dnnl_memory_desc_init_by_tag(&layout.m_descriptor, axes, sizes, dnnl_f32,
                                                    dnnl_format_tag_any) == dnnl_success;
#endif
    return layout;
}

inline Layout Layout::ofArgument(const_dnnl_primitive_desc_t description, dnnl_query_t argument)
{
    Layout layout;
#if DNNL_VERSION_MAJOR >= 3
    dnnl_memory_desc_t descriptor = nullptr;
    const const_dnnl_memory_desc_t found = dnnl_primitive_desc_query_md(description, argument, 0);
    if (found != nullptr && dnnl_memory_desc_clone(&descriptor, found) == dnnl_success) {
        layout.m_descriptor.reset(descriptor);
    }
#else
    const dnnl_memory_desc_t* found = dnnl_primitive_desc_query_md(description, argument, 0);
    layout.m_isKnown = found != nullptr;
    layout.m_descriptor = layout.m_isKnown ? *found : dnnl_memory_desc_t{};
#endif
    return layout;
}

/// The product left * right of known layouts; null if the library has none.
inline Description describeProduct(dnnl_engine_t engine, const Layout& left, const Layout& right,
                                   const Layout& dst, const_dnnl_primitive_attr_t attributes)
{
#if DNNL_VERSION_MAJOR >= 3
    return made<Description>(dnnl_matmul_primitive_desc_create, engine, left.get(), right.get(),
                             nullptr, dst.get(), attributes);
#else
    dnnl_matmul_desc_t product;
    if (dnnl_matmul_desc_init(&product, left.get(), right.get(), nullptr, dst.get()) !=
        dnnl_success) {
        return {};
    }
    return made<Description>(dnnl_primitive_desc_create, &product, attributes, engine, nullptr);
#endif
}

/// A convolution, of known layouts. Dilations count the pixels between two taps.
struct ConvolutionLayouts
{
    Layout src;
    Layout kernel;
    Layout bias;
    Layout dst;
    dnnl_dims_t strides = {};
    dnnl_dims_t dilations = {};
    dnnl_dims_t before = {};
    dnnl_dims_t after = {};
};

/// Null if the library has none, as the next two.
inline Description describeForward(dnnl_engine_t engine, const ConvolutionLayouts& shape,
                                   const_dnnl_primitive_attr_t attributes)
{
#if DNNL_VERSION_MAJOR >= 3
    return made<Description>(dnnl_convolution_forward_primitive_desc_create, engine,
                             dnnl_forward_training, dnnl_convolution_direct, shape.src.get(),
                             shape.kernel.get(), shape.bias.get(), shape.dst.get(), shape.strides,
                             shape.dilations, shape.before, shape.after, attributes);
#else
    dnnl_convolution_desc_t convolution;
    if (dnnl_dilated_convolution_forward_desc_init(
            &convolution, dnnl_forward_training, dnnl_convolution_direct, shape.src.get(),
            shape.kernel.get(), shape.bias.get(), shape.dst.get(), shape.strides, shape.dilations,
            shape.before, shape.after) != dnnl_success) {
        return {};
    }
    return made<Description>(dnnl_primitive_desc_create, &convolution, attributes, engine, nullptr);
#endif
}

/// `forward` describes the forward pass of the same shape.
inline Description describeSrcGradient(dnnl_engine_t engine, const ConvolutionLayouts& shape,
                                       const_dnnl_primitive_attr_t attributes,
                                       const_dnnl_primitive_desc_t forward)
{
#if DNNL_VERSION_MAJOR >= 3
    return made<Description>(dnnl_convolution_backward_data_primitive_desc_create, engine,
                             dnnl_convolution_direct, shape.src.get(), shape.kernel.get(),
                             shape.dst.get(), shape.strides, shape.dilations, shape.before,
                             shape.after, forward, attributes);
#else
    dnnl_convolution_desc_t convolution;
    if (dnnl_dilated_convolution_backward_data_desc_init(
            &convolution, dnnl_convolution_direct, shape.src.get(), shape.kernel.get(),
            shape.dst.get(), shape.strides, shape.dilations, shape.before,
            shape.after) != dnnl_success) {
        return {};
    }
    return made<Description>(dnnl_primitive_desc_create, &convolution, attributes, engine, forward);
#endif
}

inline Description describeKernelGradient(dnnl_engine_t engine, const ConvolutionLayouts& shape,
                                          const_dnnl_primitive_attr_t attributes,
                                          const_dnnl_primitive_desc_t forward)
{
#if DNNL_VERSION_MAJOR >= 3
    return made<Description>(dnnl_convolution_backward_weights_primitive_desc_create, engine,
                             dnnl_convolution_direct, shape.src.get(), shape.kernel.get(), nullptr,
                             shape.dst.get(), shape.strides, shape.dilations, shape.before,
                             shape.after, forward, attributes);
#else
    dnnl_convolution_desc_t convolution;
    if (dnnl_dilated_convolution_backward_weights_desc_init(
            &convolution, dnnl_convolution_direct, shape.src.get(), shape.kernel.get(), nullptr,
            shape.dst.get(), shape.strides, shape.dilations, shape.before,
            shape.after) != dnnl_success) {
        return {};
    }
    return made<Description>(dnnl_primitive_desc_create, &convolution, attributes, engine, forward);
#endif
}

/// A copy from one layout to another.
inline Description describeCopy(dnnl_engine_t engine, const Layout& from, const Layout& to,
                                const_dnnl_primitive_attr_t attributes)
{
    return made<Description>(dnnl_reorder_primitive_desc_create, from.get(), engine, to.get(),
                             engine, attributes);
}

/// Whether the primitive's result will be added to dst.
inline bool appendSum(dnnl_post_ops_t operations)
{
#if DNNL_VERSION_MAJOR >= 3
    return dnnl_post_ops_append_sum(operations, 1.0F, 0, dnnl_data_type_undef) == dnnl_success;
#else
    return dnnl_post_ops_append_sum(operations, 1.0F) == dnnl_success;
#endif
}

} // namespace cannery::kernels::onednn
