# Run by the target `pages`: writes the manual pages and completions into FOLDER, from the programs themselves.
# The date is SOURCE_DATE_EPOCH's (reproducible-builds.org/specs) or the commit's, as scripts/version.py has it, so that the same
# commit gives the same pages. An archive of the sources says of which commit it is: HASH NUMBER TIME.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  if(EXISTS ${SOURCE_DIR}/COMMIT)
    file(STRINGS ${SOURCE_DIR}/COMMIT commit)
    string(REGEX REPLACE ".* " "" time "${commit}")
  else()
    execute_process(COMMAND git -C ${SOURCE_DIR} log -1 --format=%ct OUTPUT_VARIABLE time OUTPUT_STRIP_TRAILING_WHITESPACE
      ERROR_QUIET)
  endif()
  # Sources of no known commit: today.
  if(time)
    set(ENV{SOURCE_DATE_EPOCH} ${time})
  endif()
endif()
string(TIMESTAMP date "%Y-%m-%d" UTC)
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER}/man)
execute_process(COMMAND ${PAGES_PROGRAM} ${FOLDER}/man ${date} COMMAND_ERROR_IS_FATAL ANY)
foreach(shell bash zsh fish)
  execute_process(COMMAND ${FEDRA} completion ${shell} OUTPUT_FILE ${FOLDER}/fedra.${shell} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
execute_process(COMMAND ${FEDRA} config print-defaults OUTPUT_FILE ${FOLDER}/fedra.yaml COMMAND_ERROR_IS_FATAL ANY)
