// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/glossary.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <iterator>

namespace cannery::ui {
namespace {

struct Row
{
    const char* term;
    const char* meaning;
    const char* judging;
    const char* metrics; ///< separated by blanks
    const char* fields;  ///< the same
};

#define TEXT(text) QT_TRANSLATE_NOOP("Glossary", text)

constexpr std::array kMetrics{
    Row{TEXT("Accuracy"), TEXT("The share of rows whose most probable class is the right one."),
        TEXT("From 0 to 1. Judge it against the accuracy of guessing the commonest class: where 95 "
             "% of the rows are of one class, 0.95 is worth nothing. Where a class is rare, look "
             "at precision and recall."),
        "accuracy accuracy/positive_threshold", ""},
    Row{TEXT("Accuracy of guessing"),
        TEXT("The accuracy of always answering with the commonest class of the evaluation rows: "
             "what a model must beat."),
        TEXT("It says how lopsided the classes are. A model that is not clearly above it has "
             "learned nothing of use."),
        "accuracy_baseline cannery/accuracy_baseline", ""},
    Row{TEXT("AUC"),
        TEXT("How well the model ranks: the probability that a row of the positive class gets a "
             "higher score than a row of the other one."),
        TEXT("0.5 is chance and 1 is perfect; 0.7 is useful, 0.8 good, 0.9 very good. Above 0.98, "
             "ask whether a column gives the answer away. It does not depend on a threshold, nor "
             "on how rare the class is."),
        "auc", ""},
    Row{TEXT("AUC PR"),
        TEXT("The area under the curve of precision over recall: like AUC, but about the rows of "
             "the positive class."),
        TEXT("Chance is the share of positive rows, not 0.5: with 2 % of them, 0.3 can be a good "
             "model. Prefer it to AUC where positive rows are rare."),
        "auc_precision_recall auc_precision_recall_trapezoids", ""},
    Row{TEXT("Average loss"),
        TEXT("The loss per row, averaged over the evaluation rows. For classes it is the log loss, "
             "for numbers the mean squared error, unless the head says otherwise."),
        TEXT("Lower is better. Its size means little by itself: compare runs on the same rows, and "
             "watch whether it begins to rise while the training goes on."),
        "average_loss", ""},
    Row{TEXT("Brier score"),
        TEXT("The mean squared difference between the predicted probability and what happened, 1 "
             "or 0."),
        TEXT("0 is perfect. Always saying 50 % gives 0.25 for two classes; always saying the share "
             "p of the positive class gives p × (1 − p), which a model must be below."),
        "brier_score", ""},
    Row{TEXT("Calibration error"),
        TEXT("How far predicted probabilities are from what happens: of the rows that are given 70 "
             "%, are 70 % positive?"),
        TEXT("0 is perfect. Below 0.02 the probabilities can be taken literally; above 0.1 they "
             "rank at best."),
        "calibration_error", ""},
    Row{TEXT("Confusion matrix"),
        TEXT("How often rows of each class are taken for each other class: a row for the true "
             "class, a column for the predicted one."),
        TEXT("The diagonal is right. Large numbers beside it name the classes that the model "
             "cannot tell apart."),
        "confusion_matrix", ""},
    Row{TEXT("F1 score"), TEXT("The harmonic mean of precision and recall: high only if both are."),
        TEXT("From 0 to 1. Calling every row positive gives 2p / (1 + p), where p is the share of "
             "positive rows: a model must be above that."),
        "f1_score", ""},
    Row{TEXT("Log loss"),
        TEXT("How surprised the model is by the truth: the mean of −log of the probability that it "
             "gave to the right class."),
        TEXT("0 is perfect. Without a model, two classes that are equally common give 0.693, and "
             "less if one is rare. A model that is sure and wrong pays dearly."),
        "log_loss", ""},
    Row{TEXT("Loss"),
        TEXT("What training makes smaller: how wrong the predictions for a batch are, plus the "
             "penalties of regularization."),
        TEXT("Lower is better, but only on the same data and with the same settings. It should "
             "fall quickly at first, then slowly. If it rises or becomes NaN, lower the learning "
             "rate; if it falls in training and rises in evaluation, the model overfits."),
        "loss regularization_loss", ""},
    Row{TEXT("MAE"),
        TEXT("Mean absolute error: by how much predictions are off on average, in the unit of the "
             "label."),
        TEXT("Lower is better; compare it with the spread of the label. A single large error "
             "counts less than in RMSE."),
        "cannery/mae mean_absolute_error", ""},
    Row{TEXT("Mean absolute percentage error"),
        TEXT("By how many percent of the label predictions are off on average."),
        TEXT("10 is good for many purposes. It is of little use where labels may be near 0."),
        "mean_absolute_percentage_error", ""},
    Row{TEXT("Mean label"),
        TEXT("The average of the labels of the evaluation rows; for yes or no, the share of yes."),
        TEXT("Compare it with the mean prediction."), "label/mean", ""},
    Row{TEXT("Mean prediction"),
        TEXT("The average of what the model predicts for the evaluation rows."),
        TEXT("It should be close to the mean label. If it is not, the training was too short, or "
             "its rows are not like those of the evaluation."),
        "prediction/mean mean", ""},
    Row{TEXT("Mean squared error"),
        TEXT("The average of the squared errors, in the squared unit of the label."),
        TEXT("Lower is better. Its square root, the RMSE, is easier to read."),
        "mean_squared_error", ""},
    Row{TEXT("Per class"),
        TEXT("Precision, recall and F1 score of each class, with the number of its rows."),
        TEXT("A class of fewer than 30 rows has uncertain numbers."), "per_class", ""},
    Row{TEXT("Precision"), TEXT("Of the rows that the model calls positive, the share that is."),
        TEXT(
            "Without a model it is the share of positive rows. It usually rises with the threshold "
            "while recall falls: which matters more depends on what a false alarm costs."),
        "precision precision/positive_threshold precision_at_recall", ""},
    Row{TEXT("R²"), TEXT("The share of the label's variation that the model explains."),
        TEXT("1 is perfect, 0 is no better than guessing the mean, and below 0 is worse than that. "
             "How high it can be depends on the noise in the label: 0.3 is much where people "
             "decide, 0.9 little where physics does."),
        "cannery/r2 r2_score", ""},
    Row{TEXT("Recall"), TEXT("Of the rows that are positive, the share that the model finds."),
        TEXT("Calling every row positive gives 1: judge it together with precision. A lower "
             "threshold raises it."),
        "recall recall/positive_threshold recall_at_precision", ""},
    Row{TEXT("RMSE"),
        TEXT("Root mean squared error: the typical size of an error, in the unit of the label. "
             "Large errors count more than in MAE."),
        TEXT("Compare it with the RMSE of guessing the mean: half of that is a good model of most "
             "tables."),
        "cannery/rmse root_mean_squared_error", ""},
    Row{TEXT("RMSE of guessing the mean"),
        TEXT("The RMSE of always answering with the mean of the labels: what a model of numbers "
             "must beat."),
        TEXT("It is the standard deviation of the label in the evaluation rows."),
        "cannery/rmse_baseline", ""},
    Row{TEXT("Steps per second"), TEXT("How many steps the training makes in a second."),
        TEXT("It says how fast a training is, not how good."), "global_step/sec", ""},
    Row{TEXT("Top-k accuracy"),
        TEXT("The share of rows whose right class is among the k most probable ones."),
        TEXT("Chance is k divided by the number of classes, if they are equally common."),
        "top_k_categorical_accuracy", ""},
};

constexpr std::array kWords{
    Row{TEXT("Baseline"),
        TEXT("An answer without a model: the commonest class, or the mean of the numbers. The "
             "baseline estimators give it. A metric is good only in comparison with it."),
        "", "", "baseline_classifier baseline_regressor baseline_estimator"},
    Row{TEXT("Batch"),
        TEXT("The rows that one step learns from together. Larger batches make steadier steps and "
             "use a GPU better; smaller ones often do as well in fewer epochs."),
        "", "", "batch_size"},
    Row{TEXT("Bucket"),
        TEXT("A range of a number that is treated as one category, such as ages from 18 to 25. "
             "Buckets let a linear model follow a curve."),
        "", "", "bucketized_column boundaries"},
    Row{TEXT("Checkpoint"),
        TEXT("The state that a run can continue from: weights, what the optimizer remembers, and "
             "the place in the data. If training is killed, only the work since the last one is "
             "lost."),
        "", "", "save_checkpoints_steps save_checkpoints_secs keep_checkpoint_max"},
    Row{TEXT("Crossed column"),
        TEXT("The combination of several categories as one: city and hour together. A linear model "
             "learns combinations only from crosses; a network finds them by itself, given enough "
             "rows."),
        "", "", "crossed_column"},
    Row{TEXT("Dropout"),
        TEXT("While training, a share of a layer's units is left out at random, so that no unit "
             "relies on a single other one. It works against overfitting."),
        "", "", "dropout dnn_dropout"},
    Row{TEXT("Early stopping"),
        TEXT("Ends a training when a metric of the evaluation rows has stopped getting better; the "
             "best checkpoint is kept. What follows the best point is overfitting."),
        "", "", "early_stopping patience"},
    Row{TEXT("Embedding"),
        TEXT("A few learned numbers that stand for a category; those of categories that behave "
             "alike lie close together. A network reads words and identifiers in this way."),
        "", "", "embedding_column shared_embeddings dimension"},
    Row{TEXT("Epoch"),
        TEXT(
            "One pass over all training rows. Small tables need tens of epochs, large ones a few."),
        "", "", "num_epochs"},
    Row{TEXT("Estimator"),
        TEXT("A kind of model with its training, evaluation and export, ready to use: linear, "
             "network, both, trees, groups, recurrent."),
        "", "", "estimator"},
    Row{TEXT("Evaluation rows"),
        TEXT("Rows that are held back from the training, on which metrics are measured: only they "
             "tell how the model does on rows that it has never seen. A number from a few rows is "
             "uncertain; ± beside it says how much."),
        "", "", "eval eval_fraction eval_spec split"},
    Row{TEXT("Experiment"),
        TEXT("One text file, *.cannery: data, features, model and training. Edit it with any "
             "editor; the window picks up the changes."),
        "", "", ""},
    Row{TEXT("Export"),
        TEXT("A SavedModel that TensorFlow Serving loads, written from a checkpoint and verified."),
        "", "", "exporter"},
    Row{TEXT("Feature column"),
        TEXT("How a column of the table enters the model: as a number, as buckets, categories, "
             "hashed categories, an embedding or part of a cross."),
        "", "", "feature_column feature_columns linear_feature_columns dnn_feature_columns"},
    Row{TEXT("Hashing"),
        TEXT("Puts categories into a fixed number of places by a checksum, without a list of them. "
             "Categories may share a place: take a few times as many places as there are "
             "categories."),
        "", "", "hash_bucket_size categorical_column_with_hash_bucket"},
    Row{TEXT("Hidden units"),
        TEXT("The sizes of a network's layers between input and answer. Begin small, such as 64 "
             "and 32: more units fit more, and overfit sooner."),
        "", "", "hidden_units dnn_hidden_units"},
    Row{TEXT("Indicator"),
        TEXT("A category as a row of zeros with a 1 in its own place, as a network reads it. For "
             "many categories, an embedding is smaller."),
        "", "", "indicator_column"},
    Row{TEXT("Learning rate"),
        TEXT("How far each step moves the weights. If it is too high, the loss jumps or becomes "
             "NaN; if it is too low, the training crawls. Try factors of 3 around the default, and "
             "a schedule that lowers it towards the end."),
        "", "learning_rate", "learning_rate learning_rate_schedule"},
    Row{TEXT("Optimizer"),
        TEXT("The rule by which a step changes the weights. FTRL and Adagrad suit rare categories, "
             "Adam most networks."),
        "", "", "optimizer linear_optimizer dnn_optimizer"},
    Row{TEXT("Overfitting"),
        TEXT("The model learns the training rows by heart instead of what they have in common: the "
             "loss in training falls while the metrics of the evaluation rows get worse. More "
             "rows, fewer units, dropout, regularization and early stopping help."),
        "", "", ""},
    Row{TEXT("Regularization"),
        TEXT("A penalty on large weights (L2), or on every weight that is not 0 (L1, which leaves "
             "many at 0). It works against overfitting."),
        "", "",
        "l1_regularization_strength l2_regularization_strength "
        "l2_shrinkage_regularization_strength l1_regularization l2_regularization"},
    Row{TEXT("Run"),
        TEXT("One training of the experiment as it was then, with its curves, metrics and "
             "checkpoints. Later edits never change a run."),
        "", "", "run_config"},
    Row{TEXT("SavedModel"),
        TEXT("TensorFlow's folder for a model that is ready to serve. TensorFlow Serving and every "
             "program with TensorFlow load it."),
        "", "", ""},
    Row{TEXT("Seed"),
        TEXT("Where random numbers start. The same seed gives the same run, bit for bit; several "
             "seeds show how much of a difference is luck."),
        "", "", "tf_random_seed seed shuffle_seed"},
    Row{TEXT("Step"),
        TEXT("One update of the weights from one batch. Steps times batch size, divided by the "
             "number of rows, are epochs."),
        "", "", "max_steps steps"},
    Row{TEXT("Strategy"),
        TEXT("On which devices and machines a training runs, and how they share the work."), "", "",
        "strategy"},
    Row{TEXT("Sweep"),
        TEXT("Trains the experiment with several values of its fields, a run for each, and tells "
             "the best."),
        "", "", "sweep"},
    Row{TEXT("Threshold"),
        TEXT("The probability from which a row is called positive: 0.5 unless it is set. It trades "
             "precision for recall; AUC does not depend on it."),
        "", "", "threshold thresholds"},
    Row{TEXT("Vocabulary"),
        TEXT("The list of the words that a categorical column knows. All others share some places, "
             "or count as missing."),
        "", "",
        "vocabulary_list vocabulary_file vocabulary_size categorical_column_with_vocabulary_list "
        "categorical_column_with_vocabulary_file"},
    Row{TEXT("Warm start"),
        TEXT("Begins with the weights of an earlier run instead of random ones."), "", "",
        "warm_start ckpt_to_initialize_from"},
    Row{TEXT("Wide and deep"),
        TEXT("A linear model, which remembers combinations, and a network, which generalizes, "
             "trained together."),
        "", "",
        "dnn_linear_combined_classifier dnn_linear_combined_regressor "
        "dnn_linear_combined_estimator"},
};

#undef TEXT

QString translated(const char* text)
{
    return *text == 0 ? QString() : QCoreApplication::translate("Glossary", text);
}

QStringList namesOf(const char* names)
{
    return QString::fromLatin1(names).split(u' ', Qt::SkipEmptyParts);
}

GlossaryEntry entryOf(const Row& row)
{
    return {translated(row.term), translated(row.meaning), translated(row.judging),
            namesOf(row.metrics), namesOf(row.fields)};
}

const GlossaryEntry* entryWith(QStringList GlossaryEntry::*names, const QString& name)
{
    const QList<GlossaryEntry>& all = glossary();
    const auto found = std::find_if(all.begin(), all.end(), [&](const GlossaryEntry& entry) {
        return (entry.*names).contains(name);
    });
    return found == all.end() ? nullptr : &*found;
}

/// "accuracy/positive_threshold_0.500000" without its number.
QString withoutNumber(const QString& name)
{
    const qsizetype end = name.lastIndexOf(u'_');
    bool isNumber = false;
    (void)name.mid(end + 1).toDouble(&isNumber);
    return end > 0 && isNumber ? name.left(end) : name;
}

} // namespace

const QList<GlossaryEntry>& glossary()
{
    static const QList<GlossaryEntry> kAll = [] {
        QList<GlossaryEntry> all;
        std::transform(kMetrics.begin(), kMetrics.end(), std::back_inserter(all), entryOf);
        std::transform(kWords.begin(), kWords.end(), std::back_inserter(all), entryOf);
        // By the translated terms, so after translation.
        std::sort(all.begin(), all.end(), [](const GlossaryEntry& a, const GlossaryEntry& b) {
            return QString::localeAwareCompare(a.term, b.term) < 0;
        });
        return all;
    }();
    return kAll;
}

/// A name may also hold the evaluation, a slice, a class or the head, separated by "/".
const GlossaryEntry* glossaryOfMetric(const QString& metric)
{
    const QStringList parts = metric.split(u'/');
    // The longest part of the name that is known, and of equally long ones the last.
    for (qsizetype length = parts.size(); length > 0; --length) {
        for (qsizetype from = parts.size() - length; from >= 0; --from) {
            const QString name = parts.mid(from, length).join(u'/');
            for (const QString& known : {name, withoutNumber(name)}) {
                if (const auto* entry = entryWith(&GlossaryEntry::metrics, known)) {
                    return entry;
                }
            }
        }
    }
    return nullptr;
}

const GlossaryEntry* glossaryOfField(const QString& path)
{
    // A field without an entry is explained by the message around it.
    for (QStringList names = path.split(u'.'); !names.isEmpty(); names.removeLast()) {
        const QString name = names.last().section(u'[', 0, 0);
        if (const auto* entry = entryWith(&GlossaryEntry::fields, name)) {
            return entry;
        }
    }
    return nullptr;
}

} // namespace cannery::ui
