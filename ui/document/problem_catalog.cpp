// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/problem_catalog.h"

#include <QHash>

#include <array>

namespace cannery::ui {
namespace {

constexpr const char* kUnlabelledRows = "data.unlabelled_rows";
constexpr const char* kSplit = "data.split";
constexpr const char* kHeldBack = "{ fraction { eval_fraction: 0.2 } }";

/// Errors that one edit cures, with ids separated by blanks.
struct EditRow
{
    const char* ids;
    ProblemAct act;
    const char* title = "";
    const char* path = "";
    const char* value = "";
    const char* words = "";
};

constexpr std::array kEdits{
    EditRow{"features.label_missing", ProblemAct::Set,
            QT_TRANSLATE_NOOP("ProblemCures", "Leave Out Rows Without a Label"), kUnlabelledRows,
            "SKIP"},
    EditRow{
        "data.bad_piece data.not_a_time features.label_range features.label_unknown "
        "features.missing_number features.token_id image.damaged image.empty image.not_an_image "
        "image.other_format image.other_variant image.too_dense image.too_large "
        "image.truncated image_folder.unusable_row npz.unusable_row "
        "sqlite_source.unusable_row "
        "tfrecord.not_an_example tfrecord.unusable_record",
        ProblemAct::Set, QT_TRANSLATE_NOOP("ProblemCures", "Leave Out Rows That Cannot Be Used"),
        "data.bad_rows", "SKIP"},
    EditRow{"data.no_eval spec.nothing_to_evaluate", ProblemAct::Set,
            QT_TRANSLATE_NOOP("ProblemCures", "Hold Back 20 % for Evaluation"), kSplit, kHeldBack,
            QT_TRANSLATE_NOOP("ProblemCures",
                              "Models are evaluated, but there are no rows to evaluate on: hold "
                              "some of the training rows back, or choose a file of their own.")},
    EditRow{"spec.sweep_nothing_to_compare", ProblemAct::Set,
            QT_TRANSLATE_NOOP("ProblemCures", "Hold Back 20 % for Evaluation"), kSplit, kHeldBack,
            QT_TRANSLATE_NOOP("ProblemCures",
                              "The runs of a sweep are compared by their evaluations, but there "
                              "are no rows to evaluate on: hold some of the training rows back, "
                              "or choose a file of their own.")},
    EditRow{"spec.early_stopping_rows", ProblemAct::Set,
            QT_TRANSLATE_NOOP("ProblemCures", "Hold Back 20 % for Evaluation"), kSplit, kHeldBack,
            QT_TRANSLATE_NOOP("ProblemCures",
                              "Training is to stop early by its evaluations, but there are no rows "
                              "to evaluate on: hold some of the training rows back, or choose a "
                              "file of their own.")},
    EditRow{"spec.live_evaluation_rows train.no_eval_data train.no_eval_rows", ProblemAct::Set,
            QT_TRANSLATE_NOOP("ProblemCures", "Hold Back 20 % for Evaluation"), kSplit, kHeldBack,
            QT_TRANSLATE_NOOP("ProblemCures",
                              "There are no rows to evaluate on: hold some of the training rows "
                              "back, or choose a file of their own.")},
    EditRow{"data.eval_and_split spec.split_and_eval", ProblemAct::Unset,
            QT_TRANSLATE_NOOP("ProblemCures", "Evaluate on the File Alone"), kSplit, "",
            QT_TRANSLATE_NOOP("ProblemCures",
                              "The evaluation has a file of its own, and rows of the training file "
                              "are held back for it, too: only one of them can be.")},
    EditRow{"data.too_many_classes", ProblemAct::Unset,
            QT_TRANSLATE_NOOP("ProblemCures", "Split Without Stratifying"),
            "data.split.fraction.stratify", "",
            QT_TRANSLATE_NOOP("ProblemCures",
                              "The label has too many different values for every part of the split "
                              "to get the same share of each.")},
    EditRow{"spec.endless_training", ProblemAct::Set,
            QT_TRANSLATE_NOOP("ProblemCures", "Stop After 1,000 Steps"), "train_spec.max_steps",
            "1000",
            QT_TRANSLATE_NOOP("ProblemCures", "Nothing ends this training: it needs a number of "
                                              "steps or of epochs.")},
    EditRow{"spec.label_unread", ProblemAct::Unset,
            QT_TRANSLATE_NOOP("ProblemCures", "Learn Without a Label"), "data.label", "",
            QT_TRANSLATE_NOOP("ProblemCures",
                              "This estimator learns without a label: the one that is chosen is "
                              "not read, and its columns are no features.")},
    EditRow{"spec.label_as_feature", ProblemAct::RemoveReaders},
    EditRow{"spec.key_as_feature", ProblemAct::RemoveReaders, "", "", "",
            QT_TRANSLATE_NOOP("ProblemCures",
                              "This column only identifies the rows (Use: Key): a model cannot "
                              "learn from it.")},
    EditRow{"spec.dangling_feature spec.dangling_column spec.dangling_table_column",
            ProblemAct::Write},
    EditRow{"spec.column_twice spec.duplicate_vocabulary spec.duplicate_class "
            "spec.same_tensorflow_name spec.device_twice spec.slice_column_twice "
            "spec.monotone_twice spec.monotone_unused",
            ProblemAct::TakeOff},
    EditRow{"spec.needs_sequence spec.unexpected_sequence spec.sdca_column spec.sdca_column_shape "
            "spec.trees_column spec.trees_column_shape",
            ProblemAct::TakeOff},
    EditRow{"spec.network_needs_dense", ProblemAct::ReadDense, "", "", "",
            QT_TRANSLATE_NOOP("ProblemCures",
                              "A network reads numbers, and this column gives categories: they "
                              "need an indicator or an embedding between them.")},
    EditRow{"spec.no_hidden_units", ProblemAct::Suggest, "", "", "",
            QT_TRANSLATE_NOOP("ProblemCures", "The network has columns to read, but no layers.")},
    EditRow{"spec.unused_hidden_units spec.unused_origin spec.sequence_mask_unused "
            "spec.precision_of_cpu spec.default_and_oov",
            ProblemAct::LeaveOut}};

/// Errors without an edit of their own, with what there is instead and why.
struct OtherRows
{
    ProblemWay way;
    const char* reason;
    const char* ids;
};

constexpr std::array kOthers{
    OtherRows{ProblemWay::Text, "The text cannot be understood where it stands.",
              "spec.bad_character spec.bad_escape spec.bad_number spec.duplicate_field "
              "spec.empty_element spec.expected_field spec.missing_colon "
              "spec.missing_comma spec.missing_value spec.needs_message spec.not_a_list "
              "spec.not_a_message spec.octal_number spec.tensorflow_only_field "
              "spec.text_not_closed spec.text_too_long spec.too_deep "
              "spec.too_many_tokens spec.two_members spec.unclosed_brace "
              "spec.unclosed_list spec.unknown_field spec.unopened_brace "
              "spec.value_syntax spec.wrong_brace spec.wrong_type"},
    OtherRows{ProblemWay::Field, "What was typed there is no value: it is typed anew.",
              "document.not_written document.not_one_value"},
    OtherRows{ProblemWay::None, "What cannot be moved snaps back.", "document.not_movable"},
    OtherRows{ProblemWay::None,
              "It is about a path or a value on a command line; the forms write paths that exist.",
              "spec.no_such_element spec.other_member spec.other_member_set "
              "spec.override_syntax spec.path_element_needed spec.path_no_element "
              "spec.path_not_message spec.path_not_repeated spec.path_syntax "
              "spec.not_one_number spec.value_not_writable"},
    OtherRows{
        ProblemWay::None,
        "There is no experiment to change: the file is missing, unreadable or something else.",
        "spec.file_missing spec.file_too_large spec.file_unreadable "
        "spec.is_a_folder spec.not_an_experiment"},
    OtherRows{ProblemWay::Field,
              "What is missing is a choice of the person: a label, an estimator, a kind, a name, "
              "columns.",
              "spec.required spec.member_required spec.no_column_kind spec.no_columns "
              "spec.too_few spec.empty_text spec.head_name spec.sequence_mask_empty "
              "spec.metric_unnamed_head spec.head_without_label "
              "spec.sweep_nothing_varies spec.listener_program spec.profiler_cadence"},
    OtherRows{
        ProblemWay::Field,
        "Which of several values is meant is not known: the field is reset, or another one chosen.",
        "spec.metric_direction spec.metric_only_head spec.steps_stratify "
        "spec.out_of_range spec.out_of_float_range spec.integer_range "
        "spec.not_finite spec.unknown_enum spec.unknown_class spec.affix "
        "spec.bad_folder_name spec.bad_name spec.long_name spec.delimiter "
        "spec.group_mark spec.device_name spec.date_origin spec.eval_from "
        "spec.fold spec.separator spec.default_count spec.default_fraction "
        "spec.default_range spec.divide_by_zero spec.normalizer_range "
        "spec.boundaries_order spec.piecewise_values spec.given_clusters "
        "spec.sequence_default spec.vocabulary_integer spec.warm_start_pattern "
        "spec.asset_name spec.profiler_folder spec.sweep_empty_range "
        "spec.sweep_last_rung spec.sweep_log spec.sweep_may_not_vary "
        "spec.sweep_no_number spec.sweep_whole_numbers spec.class_weight_class "
        "spec.virtual_shards_power spec.virtual_shards_few"},
    OtherRows{ProblemWay::Field,
              "One of two things has to give way, and only the person knows which.",
              "spec.ambiguous_name spec.duplicate_column spec.duplicate_exporter "
              "spec.duplicate_metric spec.duplicate_name spec.asset_twice "
              "spec.class_weight_twice spec.two_checkpoint_cadences spec.two_clips "
              "spec.two_hook_cadences spec.sequence_mask spec.metric_name_reserved "
              "spec.sweep_varies_twice spec.checkpoint_pair spec.head_reduction "
              "spec.head_weights spec.label_size spec.label_vocabulary_size "
              "spec.label_split spec.label_heads spec.label_nameless_heads "
              "spec.label_unknown_head spec.stack_shape spec.feature_shape "
              "spec.shared_kinds spec.shared_sizes spec.other_default spec.column_cycle "
              "spec.column_unread spec.layer_cycle spec.layer_name_taken "
              "spec.strides_and_dilation spec.unused_layer spec.output_count "
              "spec.loss_classes spec.ignored_class"},
    OtherRows{ProblemWay::Field,
              "The parts do not fit together: another estimator, strategy or column is a choice of "
              "design.",
              "spec.batch_norm_scope_of_servers spec.checkpoint_too_large "
              "spec.class_weight_head spec.loss_head_network spec.clusters_of_first_batch "
              "spec.column_depth "
              "spec.column_dtype spec.column_is_feature spec.column_parts "
              "spec.column_not_of_network spec.complexity_needs_pruning spec.cross_dense "
              "spec.cross_device_ops "
              "spec.cross_hashed spec.cross_sequence spec.cross_weighted "
              "spec.eval_distribute_of_processes spec.feature_is_column "
              "spec.inputs_of_input_layer spec.layer_without_input spec.token_column "
              "spec.block_input_unread spec.empty_block spec.layer_called_input "
              "spec.setting_of_block spec.shared_kind spec.shared_later spec.shared_nothing "
              "spec.shared_settings spec.shared_trainable spec.shared_unknown "
              "spec.too_many_layers spec.unknown_layer_in_block "
              "spec.token_numbers spec.unknown_layer "
              "spec.gpu_of_central_storage spec.histogram_layers spec.histogram_pruning "
              "spec.layers_of_gpu spec.listener_without_saves "
              "spec.live_evaluation_alone spec.metric_classes spec.metric_head "
              "spec.metric_no_such_head spec.metric_without_label spec.mixed_devices "
              "spec.model_too_large spec.monotone_kind spec.needs_dense "
              "spec.nested_head spec.not_categorical spec.numeric_not_categorical "
              "spec.own_seed_unshuffled spec.own_steps_of_gpu spec.own_steps_one_device "
              "spec.pruning_needs_complexity spec.ring_is_not_exact spec.sdca_argument "
              "spec.sdca_combiner spec.sdca_head spec.sdca_linear_only spec.sdca_start "
              "spec.sdca_tables spec.sequence_of_one spec.sequence_of_texts "
              "spec.sequence_source spec.source_not_numeric spec.source_rank "
              "spec.sparse_numeric spec.steps_label spec.steps_label_texts "
              "spec.steps_label_vocabulary spec.steps_of_many_heads "
              "spec.steps_of_processes spec.steps_weight spec.too_large "
              "spec.trees_in_memory spec.trees_one_output spec.virtual_shards_of_gpu "
              "spec.weight_not_numeric"},
    OtherRows{
        ProblemWay::Table,
        "The page Data shows the file and its line, and how to skip it, read it otherwise or "
        "choose another file.",
        "data.file_missing csv.bad_record csv.cannot_open csv.duplicate_column csv.field_count "
        "csv.field_length csv.invalid_text csv.invalid_utf8 csv.missing "
        "csv.name_not_utf8 csv.no_such_files csv.not_a_number csv.nul_byte "
        "csv.open_quote csv.record_too_long csv.text_after_quote csv.too_large"},
    OtherRows{ProblemWay::None,
              "The file is of another kind, is damaged or beyond a limit: it is mended or "
              "converted outside, and chosen again.",
              "csv.arff_header csv.binary_table csv.cannot_read csv.changed "
              "csv.column_name_count csv.empty_file csv.is_a_folder csv.is_a_url "
              "csv.no_converter csv.no_encoder csv.no_files_named csv.no_room_for_text "
              "csv.no_row_fits csv.not_in_encoding csv.other_header csv.other_text "
              "csv.row_too_short csv.skips_all csv.spreadsheet csv.too_many_columns "
              "csv.zip_archive data.bad_json_array "
              "data.no_arff_data data.no_fixed_width data.no_json_objects data.no_libsvm_values "
              "data.no_rows data.other_arff_attributes data.two_of_a_name "
              "image_folder.no_folder image_folder.no_pictures "
              "npz.breaks_off npz.changed npz.dimensions npz.dtype npz.fortran_order npz.no_arrays "
              "npz.no_rows npz.not_an_array npz.objects npz.other_arrays "
              "npz.other_length npz.structured npz.too_many_columns npz.two_arrays "
              "sqlite_source.damaged sqlite_source.no_tables "
              "sqlite_source.not_a_database tfrecord.breaks_off tfrecord.changed "
              "tfrecord.damaged tfrecord.lost_shard tfrecord.no_features "
              "tfrecord.no_records tfrecord.no_such_split tfrecord.none_in_folder "
              "tfrecord.not_records tfrecord.other_type tfrecord.several_data_sets "
              "tfrecord.several_schemas tfrecord.several_values tfrecord.too_long "
              "tfrecord.too_many_features"},
    OtherRows{ProblemWay::Choice, "The database may hold several tables, or a query chooses rows.",
              "sqlite_source.no_rows sqlite_source.no_table sqlite_source.query "
              "sqlite_source.two_columns sqlite_source.which_table"},
    OtherRows{
        ProblemWay::Field,
        "A setting of the column or of the split decides, and the person knows what its "
        "cells mean.",
        "data.bad_default data.bad_delimiter data.bad_eval_from data.bad_fold data.bad_quote_char "
        "data.bad_fraction data.bad_origin data.column_starts data.date_century data.date_order "
        "data.date_orders data.date_year_place data.empty_part data.extreme_value "
        "data.no_deviation data.not_a_date data.stack_shape data.stacked_array "
        "data.text_among_numbers data.none_usable data.no_such_column "
        "data.no_such_feature data.no_label data.label_unset data.unknown_label "
        "data.no_source data.no_train data.no_column_there "
        "data.fewer_files_than_shards"},
    OtherRows{ProblemWay::None,
              "It answers a filter, a sort or a request, and is told beside what was typed.",
              "data.filter_goes_on data.filter_no_bracket data.filter_no_column "
              "data.filter_no_comparison data.filter_no_list data.filter_no_name "
              "data.filter_no_value data.filter_not_a_number data.filter_not_a_text "
              "data.filter_not_missing data.filter_open_quotation data.filter_too_deep "
              "data.filter_unknown_operator data.browse_cancelled data.not_browsable "
              "data.rows_moved data.rows_not_ready data.texts_too_long "
              "data.too_many_rows data.no_words data.too_many_words "
              "data.words_are_fractions data.no_numbers_to_compare data.unreadable"},
    OtherRows{ProblemWay::None,
              "A label is offered only where it fits; a new project is refused before it exists.",
              "data.estimator_label_mismatch data.label_empty data.label_has_no_value "
              "data.label_too_many_classes new.*"},
    OtherRows{ProblemWay::None,
              "What a run has saved belongs to other data: it begins anew as another run.",
              "data.position_of_other_data data.position_unreadable"},
    OtherRows{ProblemWay::Field,
              "The feature column, the label or the head that is named does not fit the data.",
              "features.bucketized_boundaries features.bucketized_source "
              "features.cannot_emit features.category_of_floats "
              "features.category_type features.cross_input "
              "features.divide_by_zero features.empty_column "
              "features.example_id features.example_id_type features.id_range "
              "features.identity_default features.label_key "
              "features.label_no_list features.label_shape "
              "features.label_step_classes features.label_steps "
              "features.label_type features.label_vocabulary "
              "features.label_vocabulary_repeated features.missing_feature "
              "features.no_label features.no_labels features.no_list "
              "features.no_slot features.no_statistics features.no_valid_id "
              "features.not_categorical features.number_default_type "
              "features.number_defaults features.number_shape "
              "features.number_type features.receiver_empty "
              "features.receiver_lacks features.receiver_unknown "
              "features.repeated_name features.row_file_damaged "
              "features.row_file_foreign features.sequence_default_type "
              "features.sequence_type features.step_counts "
              "features.step_weight_column features.too_many_buckets "
              "features.unknown_column features.vocabulary_default "
              "features.vocabulary_empty features.vocabulary_file "
              "features.vocabulary_file_empty features.vocabulary_file_size "
              "features.vocabulary_number features.vocabulary_repeated "
              "features.vocabulary_two_defaults features.vocabulary_unreadable "
              "features.weight_column features.weight_count "
              "features.weight_dtype features.weight_nan features.weight_steps "
              "features.weight_type head.bad_name head.ignored_class "
              "head.inverse_link head.label_dimension head.loss_classes head.loss_label_dimension "
              "head.loss_reductions head.name_twice head.nested_multi_head "
              "head.no_heads head.no_loss head.no_name head.none "
              "head.not_measured head.not_placed head.threshold "
              "head.too_few_classes head.too_few_labels head.unknown_class "
              "head.vocabulary_size head.vocabulary_twice head.weight_count "
              "layers.ambiguous_weight layers.attention_length "
              "layers.attention_mask layers.attention_numbers "
              "layers.attention_rank layers.attention_steps "
              "layers.attention_widths layers.axis layers.axis_twice "
              "layers.bare_categorical layers.bidirectional_empty "
              "layers.bidirectional_turned layers.channel_groups "
              "layers.channel_numbers layers.concatenate_shapes "
              "layers.convolution_groups layers.cropped_away layers.dot_axes "
              "layers.dot_sizes layers.edge_numbers layers.empty "
              "layers.initial_state layers.initial_states layers.input_count "
              "layers.input_kind layers.masked_rank layers.masked_sequence "
              "layers.measured_weight layers.merged_shapes layers.no_columns "
              "layers.not_a_sequence layers.not_a_vector layers.not_an_image "
              "layers.not_placed layers.output_padding layers.output_too_large "
              "layers.permute_dims layers.pooling_mask layers.prelu_axis "
              "layers.random_range layers.value_range "
              "layers.recurrent_mask layers.recurrent_rows "
              "layers.recurrent_units layers.recurrent_width "
              "layers.reshape_dimension layers.reshape_target "
              "layers.shared_not_placed layers.shared_weight layers.softmax_mask "
              "layers.spatial_dropout_rank layers.token_table "
              "layers.too_many_numbers layers.unknown_weight "
              "layers.weight_twice layers.window_numbers "
              "layers.window_too_large layers.window_too_long "
              "optimizer.keras_option optimizer.nadam_schedule "
              "optimizer.no_averages optimizer.no_decay optimizer.no_gradients "
              "optimizer.none optimizer.not_in_keras optimizer.one_clip "
              "optimizer.only_keras optimizer.two_averages optimizer.two_norms "
              "schedule.boundaries_not_ascending schedule.none "
              "schedule.value_count"},
    OtherRows{ProblemWay::Field, "The estimator lacks something, or does not fit what it reads.",
              "estimators.duplicate_column estimators.kmeans_centers "
              "estimators.kmeans_restore estimators.kmeans_rows estimators.logits_of_steps "
              "estimators.logits_width "
              "estimators.no_columns "
              "estimators.no_hidden_units estimators.no_optimizer estimators.no_units "
              "estimators.none estimators.sdca_label estimators.sdca_model "
              "estimators.sdca_restore estimators.steps_of_many_heads "
              "estimators.trees_column estimators.unknown_column"},
    OtherRows{ProblemWay::Run,
              "The note on the run lowers the learning rates and leads back to the experiment.",
              "train.nan_loss train.nan_loss_of_cell train.nan_loss_of_label"},
    OtherRows{ProblemWay::Run, "The note on the run sets the batch size that fits.",
              "gpu.smaller_batch"},
    OtherRows{ProblemWay::Run,
              "The note on the run opens its folder, and goes on once there is space.",
              "features.spill"},
    OtherRows{
        ProblemWay::None,
        "The machine, its GPUs or their driver are at fault; a run is resumed or tried again.",
        "gpu.busy gpu.driver_too_old gpu.failed gpu.full gpu.group_lost gpu.lost "
        "gpu.no_batch_fits gpu.no_kernel gpu.no_nccl gpu.no_pinned_memory "
        "gpu.no_plugin gpu.no_room_for_trees gpu.no_such_device gpu.none "
        "gpu.not_joined gpu.not_listed gpu.not_opened gpu.out_of_memory "
        "gpu.plugin_not_loaded gpu.plugin_version gpu.too_few gpu.too_old "
        "plan.bad_memory_limit plan.cannot_explain plan.histogram_categories "
        "plan.histogram_indicator plan.histogram_monotone plan.histogram_rows "
        "plan.learns_alone plan.no_initial_checkpoint plan.not_evaluated_on_gpu "
        "plan.not_on_gpu plan.process_lost plan.rules_on_servers plan.steps_of_processes "
        "plan.too_large "
        "plan.steps_used_twice"},
    OtherRows{ProblemWay::None,
              "What stands in the folder of a run is missing, damaged or of another experiment; "
              "the run is trained again.",
              "checkpoint.* events.* graph.* run.* saved_model.* tf.* train.asset_name "
              "train.bad_checkpoint_choice train.cache_no_file train.cache_not_kept "
              "train.cache_unsettled train.checkpoint_all_damaged "
              "train.checkpoint_missing train.checkpoint_name train.checkpoint_shape "
              "train.checkpoint_twice train.chief_failed train.commands_not_allowed "
              "train.engine_died train.evaluation_name "
              "train.evaluator_without_model_dir train.export_alone "
              "train.export_has_one_state train.exporter_folder train.exporter_names "
              "train.frozen_damaged train.gpus_lost train.live_evaluation_name "
              "train.no_checkpoint train.no_evaluated_checkpoint train.no_experiment "
              "train.no_exporter train.no_hook train.no_live_evaluation "
              "train.no_model_dir train.no_saved_model train.no_such_metric "
              "train.no_train_rows train.nothing_to_resume train.other_experiment "
              "train.profiler_cadence train.profiler_folder train.program_not_started "
              "train.saved_model_empty train.sidecar_damaged train.slice_column "
              "train.slice_rows train.two_cadences train.unknown_metric "
              "train.warm_start_missing train.warm_start_pattern train.warm_start_shape "
              "train.warm_start_source train.warm_start_unused "
              "train.warm_start_vocabulary train.warm_start_words trees.*"},
    OtherRows{ProblemWay::None,
              "The file system refused, or a file is damaged: the sentence names the file, and "
              "what it needs is done outside.",
              "io.* pattern.* sqlite.* zip.*"},
    OtherRows{ProblemWay::None,
              "The store of the runs tells what it found; Rescan reads the folders again.",
              "queue.* runs.* verify.*"},
    OtherRows{
        ProblemWay::None,
        "It is about a cluster or other processes; they are started anew where they were started.",
        "cluster.* collectives.* control.* coordinator.* parameters.* process.* "
        "strategies.*"},
    OtherRows{ProblemWay::None,
              "An export is refused as a whole; the page Export says why, and keeps its form.",
              "export.* program.*"},
    OtherRows{ProblemWay::None, "Only who writes command lines meets it.",
              "command.* convert.* inspect.* launch.* output.* predict.* preview.* "
              "sweep.*"},
    OtherRows{ProblemWay::None, "A remark has its own buttons in the list of remarks.",
              "remark.*"}};

QHash<QString, ProblemEntry> readCatalog()
{
    QHash<QString, ProblemEntry> entries;
    for (const EditRow& row : kEdits) {
        for (const QString& id : QString::fromLatin1(row.ids).split(u' ')) {
            entries.insert(
                id, {id, ProblemWay::Edit, row.act, row.title, row.path, row.value, row.words});
        }
    }
    for (const OtherRows& rows : kOthers) {
        for (const QString& id : QString::fromLatin1(rows.ids).split(u' ')) {
            entries.insert(id, {.id = id, .way = rows.way, .reason = rows.reason});
        }
    }
    return entries;
}

const QHash<QString, ProblemEntry>& catalog()
{
    static const QHash<QString, ProblemEntry> kEntries = readCatalog();
    return kEntries;
}

} // namespace

const ProblemEntry* problemEntry(const QString& id)
{
    auto found = catalog().constFind(id);
    if (found == catalog().constEnd()) {
        found = catalog().constFind(id.section(u'.', 0, 0) + QStringLiteral(".*"));
    }
    return found == catalog().constEnd() ? nullptr : &*found;
}

QStringList problemIds()
{
    return catalog().keys();
}

} // namespace cannery::ui
