// SPDX-License-Identifier: Apache-2.0
#include "tests/core/estimators/network_lowering.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>

using namespace cannery;
using namespace cannery::tests;

/// Networks over images and sequences, lowered: names, shapes, and the place of what does not fit.
class TstCustomWindows : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsRowsAsSequences();
    void readsSequences();
    void readsStepsOfRows();
    void reshapesAndResizes();
    void makesImagesLarger();
    void saysWhereAWindowDoesNotFit_data();
    void saysWhereAWindowDoesNotFit();
    void saysWhereStepsDoNotFit_data();
    void saysWhereStepsDoNotFit() { refuseBadNetwork(); }
};

void TstCustomWindows::readsRowsAsSequences()
{
    using Numbers = std::vector<std::int64_t>;
    const auto model = lowerNetwork(
        kSteps +
        "layer { name: 'causal' conv_1d { filters: 4 kernel_size: 3 padding: causal groups: 2 } }"
        "layer { name: 'each' depthwise_conv_1d { kernel_size: 2 depth_multiplier: 3 stride: 2 } }"
        "layer { name: 'mixed' separable_conv_1d { filters: 5 kernel_size: 2 depth_multiplier: 2 } "
        "}"
        "layer { name: 'long' conv_1d_transpose { filters: 6 kernel_size: 5 stride: 2 } }"
        "layer { name: 'most' max_pooling_1d { pool_size: 3 } }"
        "layer { name: 'mean' average_pooling_1d { stride: 1 padding: same } }"
        "layer { name: 'all' global_average_pooling_1d { keepdims: true } }"
        "layer { name: 'top' global_max_pooling_1d {} } layer { dense { units: 3 } }");
    VERIFY_OK(model);
    QCOMPARE(variablesOf(*model),
             (std::vector<std::string>{
                 "causal/kernel [3, 1, 4]", "causal/bias [4]", "each/depthwise_kernel [2, 4, 3]",
                 "each/bias [12]", "mixed/depthwise_kernel [2, 12, 2]",
                 "mixed/pointwise_kernel [1, 24, 5]", "mixed/bias [5]", "long/kernel [5, 6, 5]",
                 "long/bias [6]", "dense/kernel [6, 3]", "dense/bias [3]"}));
    QCOMPARE(graph::rowShape(outputOf(*model, "causal")), (Numbers{8, 4}));
    QCOMPARE(graph::rowShape(outputOf(*model, "each")), (Numbers{4, 12}));
    QCOMPARE(graph::rowShape(outputOf(*model, "mixed")), (Numbers{3, 5}));
    QCOMPARE(graph::rowShape(outputOf(*model, "long")), (Numbers{9, 6}));
    QCOMPARE(graph::rowShape(outputOf(*model, "most")), (Numbers{3, 6}));
    QCOMPARE(graph::rowShape(outputOf(*model, "mean")), (Numbers{3, 6}));
    QCOMPARE(graph::rowShape(outputOf(*model, "all")), (Numbers{1, 6}));
    QCOMPARE(graph::rowShape(outputOf(*model, "top")), (Numbers{6}));
}

void TstCustomWindows::readsSequences()
{
    const auto model = lowerNetwork("layer { name: 'row' input_layer {} }"
                                    "layer { name: 'steps' inputs: 'row' sequence_input {} }"
                                    "layer { bidirectional { merge_mode: sum gru { units: 4 "
                                    "return_sequences: true reset_after: false } } }"
                                    "layer { lstm { units: 5 } } layer { dense { units: 3 } }");
    VERIFY_OK(model);
    // The row at every step, behind the columns of the step.
    QCOMPARE(outputOf(*model, "steps").kind, graph::ValueKind::Sequence);
    QCOMPARE(outputOf(*model, "steps").width, 18);
    QCOMPARE(outputOf(*model, "bidirectional").width, 4);
    QCOMPARE(variablesOf(*model),
             (std::vector<std::string>{
                 "bidirectional/forward_gru/gru_cell/kernel [18, 12]",
                 "bidirectional/forward_gru/gru_cell/recurrent_kernel [4, 12]",
                 "bidirectional/forward_gru/gru_cell/bias [12]",
                 "bidirectional/backward_gru/gru_cell/kernel [18, 12]",
                 "bidirectional/backward_gru/gru_cell/recurrent_kernel [4, 12]",
                 "bidirectional/backward_gru/gru_cell/bias [12]", "lstm/lstm_cell/kernel [4, 20]",
                 "lstm/lstm_cell/recurrent_kernel [5, 20]", "lstm/lstm_cell/bias [20]",
                 "dense/kernel [5, 3]", "dense/bias [3]"}));
    QVERIFY(std::ranges::any_of(model->graph.summaries, [](const graph::Summary& summary) {
        return summary.tag == "steps/sequence_length" &&
               summary.kind == graph::SummaryKind::StepCounts;
    }));
}

void TstCustomWindows::readsStepsOfRows()
{
    const auto model = lowerNetwork(
        kSteps + "layer { name: 'mask' inputs: 'in' dense { units: 8 } }"
                 "layer { name: 'each' reshape { target_shape: [8, 1] } }"
                 "layer { name: 'h' inputs: 'in' dense { units: 4 } }"
                 "layer { name: 'all' inputs: ['steps', 'each', 'h', 'h'] lstm { units: 4 "
                 "return_sequences: true use_bias: false } }"
                 "layer { name: 'both' bidirectional { simple_rnn { units: 3 } } }"
                 "layer { dense { units: 3 } }");
    VERIFY_OK(model);
    using Numbers = std::vector<std::int64_t>;
    QCOMPARE(graph::rowShape(outputOf(*model, "all/lstm_cell")), (Numbers{8, 4}));
    QCOMPARE(graph::rowShape(outputOf(*model, "both")), (Numbers{6}));
}

void TstCustomWindows::reshapesAndResizes()
{
    using Numbers = std::vector<std::int64_t>;
    const auto model = lowerNetwork(
        kImage + "layer { name: 'turned' permute { dims: [3, 1, 2] } }"
                 "layer { name: 'around' zero_padding_2d { padding: [1, 3] } }"
                 "layer { name: 'inside' cropping_2d { cropping: [1, 0, 2, 3] } }"
                 "layer { name: 'kept' cropping_2d {} }"
                 "layer { name: 'large' up_sampling_2d { size: [2, 3] interpolation: bicubic } }"
                 "layer { name: 'steps' reshape { target_shape: [-1, 2] } }"
                 "layer { name: 'before' zero_padding_1d { padding: [3, 0] } }"
                 "layer { name: 'within' cropping_1d {} }"
                 "layer { name: 'slow' up_sampling_1d { size: 4 } }"
                 "layer { name: 'flat' flatten {} }"
                 "layer { name: 'again' repeat_vector { n: 5 } }"
                 "layer { flatten {} } layer { dense { units: 3 } }");
    VERIFY_OK(model);
    QCOMPARE(graph::rowShape(outputOf(*model, "turned")), (Numbers{2, 4, 2}));
    QCOMPARE(graph::rowShape(outputOf(*model, "around")), (Numbers{4, 10, 2}));
    QCOMPARE(graph::rowShape(outputOf(*model, "inside")), (Numbers{3, 5, 2}));
    QCOMPARE(graph::rowShape(outputOf(*model, "kept")), (Numbers{3, 5, 2}));
    QCOMPARE(graph::rowShape(outputOf(*model, "large")), (Numbers{6, 15, 2}));
    QCOMPARE(graph::rowShape(outputOf(*model, "before")), (Numbers{93, 2}));
    QCOMPARE(graph::rowShape(outputOf(*model, "within")), (Numbers{91, 2}));
    QCOMPARE(graph::rowShape(outputOf(*model, "slow")), (Numbers{364, 2}));
    QCOMPARE(graph::rowShape(outputOf(*model, "again")), (Numbers{5, 728}));
}

void TstCustomWindows::makesImagesLarger()
{
    using Numbers = std::vector<std::int64_t>;
    const auto model = lowerNetwork(
        kImage +
        "layer { name: 'same' conv_2d_transpose { filters: 3 kernel_size: 3 strides: [2, 3] "
        "padding: same } }"
        "layer { name: 'odd' inputs: 'image' conv_2d_transpose { filters: 3 kernel_size: [3, 2] "
        "strides: 2 output_padding: [1, 0] } }"
        "layer { name: 'wide' inputs: 'image' conv_2d_transpose { filters: 3 kernel_size: 3 "
        "dilation_rate: 2 } }"
        "layer { name: 'sum' inputs: ['same', 'wide'] add {} }"
        "layer { name: 'mixed' separable_conv_2d { filters: 2 kernel_size: 3 stride: 2 } }"
        "layer { name: 'left' flatten {} } layer { name: 'right' inputs: 'odd' flatten {} }"
        "layer { inputs: ['left', 'right'] concatenate {} } layer { dense { units: 3 } }");
    VERIFY_OK(model);
    QCOMPARE(graph::rowShape(outputOf(*model, "same")), (Numbers{8, 6, 3}));
    QCOMPARE(graph::rowShape(outputOf(*model, "odd")), (Numbers{10, 4, 3}));
    QCOMPARE(graph::rowShape(outputOf(*model, "wide")), (Numbers{8, 6, 3}));
    QCOMPARE(graph::rowShape(outputOf(*model, "mixed")), (Numbers{3, 2, 2}));
}

void TstCustomWindows::saysWhereAWindowDoesNotFit_data()
{
    addColumnsOfBadNetworks();
    const auto row = badNetwork;
    row("an image for steps", kImage + "layer { conv_1d { filters: 3 kernel_size: 1 } }",
        "layers.not_a_sequence", 2);
    row("a long window", kSteps + "layer { separable_conv_1d { filters: 3 kernel_size: 9 } }",
        "layers.window_too_long", 2);
    row("groups of steps", kSteps + "layer { conv_1d { filters: 3 kernel_size: 1 groups: 2 } }",
        "layers.convolution_groups", 2);
    row("output padding beyond the stride",
        kSteps + "layer { conv_1d_transpose { filters: 3 kernel_size: 3 stride: 2 "
                 "output_padding: 2 } }",
        "layers.output_padding", 2);
    row("output padding that an even window needs",
        kSteps + "layer { conv_1d_transpose { filters: 3 kernel_size: 2 stride: 2 padding: same "
                 "output_padding: 0 } }",
        "layers.output_padding", 2);
    row("three output paddings",
        kImage + "layer { conv_2d_transpose { filters: 3 kernel_size: 3 output_padding: "
                 "[1, 1, 1] } }",
        "layers.window_numbers", 2);
    row("more steps than can be counted",
        kSteps +
            "layer { up_sampling_1d { size: 65536 } } layer { up_sampling_1d { size: 65536 } }"
            "layer { up_sampling_1d { size: 65536 } } layer { up_sampling_1d { size: 65536 } }",
        "layers.output_too_large", 5);
    row("a dimension twice", kImage + "layer { permute { dims: [1, 2, 2] } }",
        "layers.permute_dims", 2);
    row("too few dimensions", kImage + "layer { permute { dims: [2, 1] } }", "layers.permute_dims",
        2);
    row("three edges", kImage + "layer { zero_padding_2d { padding: [1, 2, 3] } }",
        "layers.edge_numbers", 2);
    row("three ends", kSteps + "layer { zero_padding_1d { padding: [1, 2, 3] } }",
        "layers.window_numbers", 2);
    row("nothing left", kSteps + "layer { cropping_1d { cropping: [4, 4] } }",
        "layers.cropped_away", 2);
    row("steps to repeat", kSteps + "layer { repeat_vector { n: 2 } }", "layers.not_a_vector", 2);
}

void TstCustomWindows::saysWhereAWindowDoesNotFit()
{
    refuseBadNetwork();
}

void TstCustomWindows::saysWhereStepsDoNotFit_data()
{
    addColumnsOfBadNetworks();
    const auto row = badNetwork;
    row("a vector for a recurrent layer", "layer { input_layer {} } layer { lstm { units: 3 } }",
        "layers.recurrent_rows", 1);
    row("an image for a recurrent layer", kImage + "layer { gru { units: 3 } }",
        "layers.recurrent_rows", 2);
    row("no units", kSteps + "layer { simple_rnn {} }", "layers.recurrent_units", 2);
    row("a mask of other steps",
        kSteps + "layer { name: 'mask' inputs: 'in' reshape { target_shape: [16, 1] } }"
                 "layer { inputs: ['steps', 'mask'] lstm { units: 3 } }",
        "layers.recurrent_mask", 3);
    row("one state of an lstm",
        kSteps + "layer { name: 'h' inputs: 'in' dense { units: 3 } }"
                 "layer { inputs: ['steps', 'h'] lstm { units: 3 } }",
        "layers.initial_states", 3);
    row("a state of other units",
        kSteps + "layer { name: 'h' inputs: 'in' dense { units: 4 } }"
                 "layer { inputs: ['steps', 'h'] gru { units: 3 } }",
        "layers.initial_state", 3);
    row("nothing in both directions", kSteps + "layer { bidirectional {} }",
        "layers.bidirectional_empty", 2);
    row("backwards in both directions",
        kSteps + "layer { bidirectional { lstm { units: 3 go_backwards: true } } }",
        "layers.bidirectional_turned", 2);
    row("more steps than can be counted",
        "layer { input_layer {} } layer { dense { units: 2147483647 } }"
        "layer { reshape { target_shape: [2147483647, 1] } } layer { dense { units: 2147483647 } }"
        "layer { reshape { target_shape: [-1, 1] } } layer { bidirectional { lstm { units: 4 } } }",
        "layers.recurrent_width", 5);
    row("logits of steps",
        "layer { sequence_input {} } layer { gru { units: 3 return_sequences: "
        "true } }",
        "estimators.logits_of_steps", 1);
    row("a sequence that is masked",
        "layer { name: 'in' input_layer {} }"
        "layer { name: 'mask' reshape { target_shape: [16, 1] } }"
        "layer { name: 'steps' sequence_input {} }"
        "layer { inputs: ['steps', 'mask'] gru { units: 3 } }",
        "layers.masked_sequence", 3);
    row("a sequence for an activation",
        "layer { sequence_input {} } layer { activation {} } layer { gru { units: 3 } }",
        "layers.input_kind", 1);
}

CANNERY_TEST(TstCustomWindows)
#include "tst_custom_windows.moc"
