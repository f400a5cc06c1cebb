// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QList>
#include <QString>
#include <QWidget>

#include <utility>

class QComboBox;
class QScrollArea;

namespace cannery::ui {

class Label;
class ModelForm;
class SearchField;
class Segmented;

/// Above a long form: a field that finds fields in it, and an index of its sections, which goes
/// there and follows the scroll bar. Without room for all titles the index is a combo box.
class FormBar : public QWidget
{
    Q_OBJECT

public:
    /// The form is somewhere within the area; both outlive the bar.
    FormBar(ModelForm& form, QScrollArea& area, QWidget* parent = nullptr);

    /// An entry behind those of the form's sections, for another part of the area.
    void addPart(const QString& title, QWidget* part);

    QWidget* findField() const;

    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void find();
    void fillIndex();
    void fitIndex();
    /// Unfolds a section and scrolls to it, or to another part.
    void goTo(int entry);
    void followScrolling();
    void setCurrent(int section);

    ModelForm* m_form;
    QScrollArea* m_area;
    QList<std::pair<QString, QWidget*>> m_parts; ///< other ones, with their titles
    SearchField* m_find;
    Label* m_found;
    Segmented* m_titles;
    QComboBox* m_list;
    bool m_isGoing = false; ///< the scroll bar moves because of the index
    bool m_isThere = false; ///< and has not moved since
};

} // namespace cannery::ui
