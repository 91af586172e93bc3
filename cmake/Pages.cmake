# Run by the target `pages`: writes the manual pages and completions into FOLDER, from the programs themselves.
# The date is the commit's, so that the same commit gives the same pages.
execute_process(COMMAND git -C ${SOURCE_DIR} log -1 --format=%cs OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE
  ERROR_QUIET)
if(NOT date)
  string(TIMESTAMP date "%Y-%m-%d" UTC)
endif()
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER}/man)
execute_process(COMMAND ${PAGES_PROGRAM} ${FOLDER}/man ${date} COMMAND_ERROR_IS_FATAL ANY)
foreach(shell bash zsh fish)
  execute_process(COMMAND ${FEDRA} completion ${shell} OUTPUT_FILE ${FOLDER}/fedra.${shell} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
execute_process(COMMAND ${FEDRA} config print-defaults OUTPUT_FILE ${FOLDER}/fedra.yaml COMMAND_ERROR_IS_FATAL ANY)
